// Python, away from the page, which stays alive while it thinks. All of it comes from this folder.
const here = new URL("./", import.meta.url);
const plain = self.fetch.bind(self);
let loaded = 0;

const count = () =>
  new TransformStream({
    transform(chunk, out) {
      loaded += chunk.byteLength;
      postMessage({ loaded });
      out.enqueue(chunk);
    },
  });

// Servers do not agree on whether to compress WebAssembly, so it is stored compressed and unpacked here.
self.fetch = async (what, options) => {
  const url = new URL(what.url ?? what, here);
  const packed = url.pathname.endsWith(".wasm");
  const answer = await plain(packed ? `${url.href}.packed` : url, options);
  if (!answer.ok) throw new Error(`the server has no ${url.pathname}`);
  const body = answer.body.pipeThrough(count());
  if (!packed) return new Response(body, { headers: answer.headers });
  const headers = { "Content-Type": "application/wasm" };
  return new Response(body.pipeThrough(new DecompressionStream("gzip")), { headers });
};

const start = async () => {
  const { loadPyodide } = await import(new URL("pyodide.mjs", here));
  const python = await loadPyodide({ indexURL: here.href });
  const runner = await self.fetch(new URL("runner.py", here));
  python.FS.writeFile("runner.py", await runner.text());
  const { run } = python.pyimport("runner");
  return { python, run };
};

const quiet = { messageCallback() {}, errorCallback() {} };
const begun = start();
const failed = (error) => postMessage({ failed: String(error.message ?? error).split("\n")[0] });

// SymPy takes seconds to load and to import: better while the reader reads than after a press of the button.
const prepare = async (code) => {
  const { python } = await begun;
  const packages = await python.loadPackagesFromImports(code, quiet);
  for (const { name } of packages) python.pyimport(name);
  postMessage({ ready: true });
};

const run = async (code) => {
  const { python, run } = await begun;
  await python.loadPackagesFromImports(code, quiet);
  const said = run(code, (text) => postMessage({ text }));
  postMessage({ done: JSON.parse(said) });
};

addEventListener("message", ({ data }) => {
  const work = "prepare" in data ? prepare(data.prepare) : run(data.code);
  work.catch(failed);
});
