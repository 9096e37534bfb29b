// authorization_server.js PORT CLIENT-DOCUMENT: a downstream and its authorization server at one origin. It takes any
// name as login, registers clients, and takes the one document it is given for that of the address it names.
import { Provider } from "oidc-provider";

const [port, text] = process.argv.slice(2);
const document = text ? JSON.parse(text) : undefined;
const origin = `http://127.0.0.1:${port}`;
const resource = `${origin}/mcp`;
const seen = { registrations: 0, codes: 0, refreshes: 0, revocations: 0 };
const wanted = { scope: "notes.read" };

const provider = new Provider(origin, {
  cookies: { keys: ["of this test alone"] },
  pkce: { required: () => true },
  rotateRefreshToken: true,
  ttl: { AccessToken: 3600, RefreshToken: 86400, Grant: 86400, Session: 86400, Interaction: 600 },
  features: {
    registration: { enabled: true },
    revocation: { enabled: true },
    clientIdMetadataDocument: { enabled: document !== undefined, ack: "draft-02", allowFetch: () => true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: () => ({ scope: "notes.read notes.write", accessTokenTTL: 3600 }),
      useGrantedResource: () => true,
    },
  },
  fetch: async (url) => {
    if (document !== undefined && String(url) === document.client_id) {
      return new Response(JSON.stringify(document), { headers: { "content-type": "application/json" } });
    }
    return new Response("", { status: 404 });
  },
  findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
});

provider.on("registration_create.success", () => (seen.registrations += 1));
provider.on("grant.success", (context) => {
  seen[context.oidc.params.grant_type === "refresh_token" ? "refreshes" : "codes"] += 1;
});

const issued = new Set();
provider.on("access_token.saved", (token) => issued.add(token.jti));
provider.on("access_token.issued", (token) => issued.add(token.jti));

async function downstream(context) {
  const [kind, value] = context.get("authorization").split(" ");
  const token = kind === "Bearer" && value ? await provider.AccessToken.find(value) : undefined;
  const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
  if (!token || token.aud !== resource) {
    context.status = 401;
    context.set("www-authenticate", `Bearer ${metadata}`);
  } else if (!wanted.scope.split(" ").every((scope) => token.scope.split(" ").includes(scope))) {
    context.status = 403;
    context.set("www-authenticate", `Bearer error="insufficient_scope", scope="${wanted.scope}", ${metadata}`);
  } else {
    context.body = { scope: token.scope };
  }
}

async function forget(what) {
  for (const id of issued) {
    const token = await provider.AccessToken.find(id);
    if (what === "grants" && token) {
      for (const model of [provider.AccessToken, provider.RefreshToken]) await model.revokeByGrantId(token.grantId);
      const grant = await provider.Grant.find(token.grantId);
      if (grant) await grant.destroy();
    } else if (token) await token.destroy();
  }
  issued.clear();
}

provider.use(async (context, next) => {
  if (context.path === "/mcp") return downstream(context);
  if (context.path === "/.well-known/oauth-protected-resource/mcp") {
    context.body = { resource, authorization_servers: [origin], scopes_supported: ["notes.read"] };
  } else if (context.path === "/seen") context.body = seen;
  else if (context.path === "/want") {
    wanted.scope = context.query.scope;
    context.body = wanted;
  } else if (context.path === "/forget") {
    await forget(context.query.what);
    context.body = seen;
  } else {
    await next();
    if (context.path === "/token/revocation" && context.status === 200) seen.revocations += 1;
  }
});
provider.listen(Number(port), "127.0.0.1", () => console.log("ready"));
