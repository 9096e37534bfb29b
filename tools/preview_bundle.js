// node preview_bundle.js PACKAGES OUT: what the preview's page takes from npm, in one file, with the licences of all of it.
//
// PACKAGES is a folder with the node_modules of its package-lock.json; OUT gets apps-host.js and apps-host.txt.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [packages, out] = process.argv.slice(2).map((path) => resolve(path));
const { build } = createRequire(join(packages, "package.json"))("esbuild");

const ENTRY = `
import "no-eval";
export { AppBridge, PostMessageTransport, RESOURCE_MIME_TYPE, getToolUiResourceUri }
  from "@modelcontextprotocol/ext-apps/app-bridge";
export { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
`;
const NOTICE = "/* Made by `make bundle`, not by hand. The licences of what is in here: apps-host.txt beside this file. */";
const LICENCE_FILES = ["LICENSE", "LICENSE.md", "LICENSE.txt", "license"];

// The page's policy allows no eval. Schemas try for it as they are made, so this comes before the first of them.
const noEval = {
  name: "no-eval",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^no-eval$/ }, () => ({ path: "no-eval", namespace: "preview" }));
    onLoad({ filter: /.*/, namespace: "preview" }, () => ({
      contents: 'import { config } from "zod"; config({ jitless: true });',
      resolveDir: packages,
    }));
  },
};

// zod brings its messages in fifty languages, two fifths of the whole bundle. The page is in English.
const oneLanguage = {
  name: "one-language",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
      loader: "js",
    }));
  },
};

const built = await build({
  stdin: { contents: ENTRY, resolveDir: packages, sourcefile: "entry.js" },
  absWorkingDir: packages,
  plugins: [noEval, oneLanguage],
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  legalComments: "none",
  banner: { js: NOTICE },
  metafile: true,
  write: false,
  logLevel: "warning",
});
writeFileSync(join(out, "apps-host.js"), built.outputFiles[0].contents);
writeFileSync(join(out, "apps-host.txt"), licences(Object.values(built.metafile.outputs)[0].inputs));

function licences(inputs) {
  const kept = Object.keys(inputs).filter((file) => inputs[file].bytesInOutput > 0);
  const folders = new Set(kept.map(folder).filter(Boolean));
  return [...folders].sort().map(licence).join(`\n${"-".repeat(80)}\n\n`);
}

function folder(file) {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

function licence(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(packages, folder, "package.json"), "utf8"));
  return `${name} ${version} (${license})\n\n${text(folder).trim()}\n`;
}

function text(folder) {
  for (const name of LICENCE_FILES) {
    try {
      return readFileSync(join(packages, folder, name), "utf8");
    } catch (error) {
      if (error.code !== "ENOENT") throw error;
    }
  }
  throw new Error(`${folder} has no licence beside it`);
}
