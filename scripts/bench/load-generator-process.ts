import { once } from 'node:events';

import { loadsAmong, runLoad } from '../harness/load';
import type { LoadReport, LoadTask } from './load-generator';

/** The load generator as a process: one task after the other, from the process that started it. */
process.on('message', (message: LoadTask | 'go') => {
  if (message !== 'go') void run(message).then(tell);
});
process.on('disconnect', () => process.exit());

function tell(report: LoadReport): void {
  process.send?.(report);
}

async function run(task: LoadTask): Promise<LoadReport> {
  const load = loadsAmong(task.students)[task.load];
  if (load === undefined) return { error: `There is no load ${task.load}.` };
  const sleepAgain = stayAwake();
  try {
    const ready = (): Promise<unknown> => {
      tell({ ready: true });
      return once(process, 'message');
    };
    return { result: await runLoad(load, task, ready) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  } finally {
    sleepAgain();
  }
}

/**
 * Keeps this process from sleeping until what it returns is called. On one machine the server's own `write` wakes a
 * caller that sleeps, and that is charged to the server: the more, the longer the callers waited. Callers on other
 * machines cost it nothing.
 */
function stayAwake(): () => void {
  let isDone = false;
  const turn = (): void => {
    if (!isDone) setImmediate(turn);
  };
  turn();
  return () => {
    isDone = true;
  };
}
