// The one Python of a page, in a worker, shared by all its editors.

/** Runs follow each other. Whoever stops one ends the worker, and the next run starts another. */
class Python {
  #worker = null;
  #ready = false;
  #jobs = []; // the first one is running
  #watchers = new Set(); // editors that show how the loading goes

  /** Start Python, with the packages that some code imports. */
  load(code = "") {
    if (this.#worker) return;
    this.#worker = new Worker(new URL("worker.mjs", import.meta.url), { type: "module" });
    this.#worker.addEventListener("message", ({ data }) => this.#hear(data));
    this.#worker.addEventListener("error", (event) => this.#fail(event.message ?? "it does not load"));
    this.#worker.postMessage({ prepare: code });
  }

  watch(watcher) {
    this.#watchers.add(watcher);
    if (this.#ready) watcher.ready();
  }

  run(job) {
    if (this.#jobs.push(job) === 1) this.#next();
    else job.wait();
  }

  stop(job) {
    if (!this.#jobs.includes(job)) return;
    if (this.#jobs[0] === job) this.#end();
    this.#jobs = this.#jobs.filter((other) => other !== job);
    job.stopped();
    if (!this.#worker) this.#next();
  }

  #next() {
    const [job] = this.#jobs;
    if (!job) return;
    this.load();
    if (this.#ready) job.start();
    this.#worker.postMessage({ code: job.code });
  }

  #end() {
    this.#worker?.terminate();
    this.#worker = null;
    this.#ready = false;
  }

  #hear({ loaded, ready, text, done, failed }) {
    if (loaded) for (const watcher of this.#watchers) watcher.progress(loaded);
    if (text) this.#jobs[0]?.print(text);
    if (failed) this.#fail(failed);
    if (ready) {
      this.#ready = true;
      for (const watcher of this.#watchers) watcher.ready();
      this.#jobs[0]?.start();
    }
    if (done) {
      this.#jobs.shift()?.done(done);
      this.#next();
    }
  }

  #fail(reason) {
    this.#end();
    for (const job of this.#jobs.splice(0)) job.failed(reason);
    for (const watcher of this.#watchers) watcher.failed(reason);
  }
}

export const python = new Python();
