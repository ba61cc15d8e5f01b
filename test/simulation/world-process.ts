import { Simulation } from './simulate';

/*
 * Runs every so many-th world, from a seed on, and tells who started it what came of each. It hears nothing, so that
 * it ends when nothing happens any more, and whoever waits for a world knows which one never came to its end.
 */
async function run([from = 1, worlds = 1, step = 1]: readonly number[]): Promise<void> {
  const simulation = await Simulation.open();
  for (let world = 0; world < worlds; world += 1) {
    const seed = from + world * step;
    const { messages, finding } = await simulation.run(seed);
    if (!process.connected) break; // Nobody waits for the other worlds any more.
    process.send?.({ seed, messages, finding });
  }
  await simulation.close();
}

void run(process.argv.slice(2).map(Number));
