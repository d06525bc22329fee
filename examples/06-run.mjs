// Shows a long run: progress, cancelling it, and sharing it between threads.
import { CrowdError, run } from "consilience";
import { dawidSkene } from "consilience/methods";
import { openTeam } from "consilience/node";
import { scenarios } from "consilience/simulate";

const simulate = scenarios["confusion"];
const { data } = simulate({ tasks: 60_000, workers: 100 });
console.log(`${data.label.length} labels`);

// Others get a turn every 30 milliseconds, so a page or a server stays awake.
let steps = 0;
const alone = await run(data, dawidSkene, {}, { onProgress: () => steps++ });
console.log(`alone: ${steps} steps, objective ${alone.trace.at(-1).toFixed(2)}`);

// A signal stops it at the next step.
const control = new AbortController();
try {
  await run(
    data,
    dawidSkene,
    {},
    {
      signal: control.signal,
      onProgress: ({ iteration }) => {
        if (iteration === 3) control.abort();
      },
    },
  );
} catch (error) {
  if (!(error instanceof CrowdError)) throw error;
  console.log(`stopped: ${error.code}: ${error.message}`);
}

// A team shares the work and gives the same bits; it pays from a few million labels on.
const team = openTeam(2);
try {
  const together = await run(data, dawidSkene, {}, { engine: team });
  const same = together.posterior.every((p, i) => p === alone.posterior[i]);
  console.log(`${team?.threads ?? 1} threads: ${same ? "the same bits" : "other numbers"}`);
} finally {
  team?.close();
}
