// The local endpoint, as a host's client sees it: the official MCP client over streamable HTTP.
import {
  Client,
  RESOURCE_MIME_TYPE,
  StreamableHTTPClientTransport,
  getToolUiResourceUri,
} from "/preview/apps-host.js";

export const INFO = { name: "connecta-preview", version: "1.0.0" };
const TOOL = "execute_code";

/** A connected client with what it listed: `{ client, tools, tool, shell }`; `shell` is the HTML the tool names. */
export async function connect(token) {
  const client = new Client(INFO, {
    capabilities: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [RESOURCE_MIME_TYPE] } } },
    versionNegotiation: { mode: "auto" },
  });
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", location.href), { requestInit: { headers } }));
  const { tools } = await client.listTools();
  const tool = tools.find(({ name }) => name === TOOL);
  const { contents } = await client.readResource({ uri: getToolUiResourceUri(tool) });
  return { client, tools, tool, shell: contents[0].text };
}

/** What one run came to: `{ code, result, ms }`. A program that failed is a result, too. */
export async function execute({ client }, code) {
  const began = performance.now();
  const result = await client.callTool({ name: TOOL, arguments: { code } });
  return { code, result, ms: Math.round(performance.now() - began) };
}

/** Whether connecting failed for want of the right token. */
export function wantsToken(error) {
  return error?.status === 401 || /\b401\b/.test(String(error?.message));
}
