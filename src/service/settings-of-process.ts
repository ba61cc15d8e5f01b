import cluster from 'node:cluster';
import { once } from 'node:events';

import { readSettings, Settings } from '../config';
import type { OfSettings } from './messages';

/** Settings by which this process goes: those of the primary process, or where this is it, as they are given. */
export async function settingsOfProcess(): Promise<Settings> {
  if (!cluster.isWorker) return readSettings(process.env);
  // The first message of all; what comes before somebody listens is lost.
  const [{ texts }] = (await once(process, 'message')) as [OfSettings];
  return new Settings(texts);
}
