import { LOADS } from '../../run/loads';
import type { LoadReport, LoadTask } from './messages';
import { runLoad } from '../../run/run-load';

/** The load generator as a process: one task after the other, from the process that forked it. */
process.on('message', (task: LoadTask) => {
  void run(task).then((report) => process.send?.(report));
});
process.on('disconnect', () => process.exit());

async function run(task: LoadTask): Promise<LoadReport> {
  const load = LOADS[task.load];
  if (load === undefined) return { error: `There is no load ${task.load}.` };
  try {
    return { result: await runLoad(load, task) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
