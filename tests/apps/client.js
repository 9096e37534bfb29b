// node client.js URL ERA [TOKEN]: runs the program on stdin with execute_code, through the official TypeScript client.
// ERA is "legacy", "auto", or the modern revision to insist on. Prints { protocolVersion, tools, result, kept }.
import { text } from "node:stream/consumers";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const [url, era, token] = process.argv.slice(2);
const mode = era === "legacy" || era === "auto" ? era : { pin: era };
const client = new Client({ name: "connecta-test-client", version: "1.0.0" }, { versionNegotiation: { mode } });
const requestInit = token ? { headers: { authorization: `Bearer ${token}` } } : {};
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
const { tools } = await client.listTools();
const result = await client.callTool({ name: "execute_code", arguments: { code: await text(process.stdin) } });
const { view } = JSON.parse(result.content[0].text);
const kept = await client.callTool({ name: "get_result", arguments: { id: view } });
const protocolVersion = client.getNegotiatedProtocolVersion();
await client.close();
process.stdout.write(JSON.stringify({ protocolVersion, tools: tools.map((tool) => tool.name), result, kept }));
