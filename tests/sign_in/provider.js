// node provider.js PORT REDIRECT: an OpenID Connect provider that takes any name as login; "mallory" is unverified.
import { Provider } from "oidc-provider";

const [port, redirect] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;
const provider = new Provider(issuer, {
  clients: [{ client_id: "connecta", client_secret: "the client's & secret", redirect_uris: [redirect] }],
  claims: { openid: ["sub"], email: ["email", "email_verified"] },
  conformIdTokenClaims: false,
  cookies: { keys: ["of this test alone"] },
  pkce: { required: () => true },
  findAccount: (_context, id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: `${id}@example.com`, email_verified: id !== "mallory" }),
  }),
});
provider.listen(Number(port), "127.0.0.1", () => console.log("ready"));
