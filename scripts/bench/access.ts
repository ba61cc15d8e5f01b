import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { hashKey } from '../../src/access';

const KEY = 'a-key-of-the-bench';
const USER = 'portal';

/** By what the service knows its one caller, and the line of a request's head that says so. */
export const CALLERS = {
  network: { known: { networks: ['127.0.0.0/8', '::1/128'] }, header: undefined },
  key: { known: { key: { header: 'X-Api-Key', secret: hashKey(KEY) } }, header: `X-Api-Key: ${KEY}` },
  basic: {
    known: { basic: { user: USER, secret: hashKey(KEY) } },
    header: `Authorization: Basic ${Buffer.from(`${USER}:${KEY}`).toString('base64')}`,
  },
} as const;

/** Writes an ACCESS_FILE that lets that caller in and nobody else; returns its path. */
export function writeAccessFile(folder: string, by: keyof typeof CALLERS): string {
  const path = join(folder, `access-${by}.json`);
  writeFileSync(path, JSON.stringify({ callers: { portal: CALLERS[by].known } }));
  return path;
}
