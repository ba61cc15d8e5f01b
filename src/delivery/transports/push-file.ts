import type { Channel, PushMessage } from './transport';
import { JsonLinesFile } from './json-lines-file';
import { writeOutcome } from './write-outcome';

/** Writes each push message to a file, and sends nothing: for trying the service out, and for tests. */
export function pushFileChannel(path: string): Channel<PushMessage> {
  const file = new JsonLinesFile(path);
  return {
    name: 'file',
    send: ({ id, token, platform, title, body, data }) =>
      writeOutcome(file.append({ id, time: new Date().toISOString(), token, platform, title, body, data })),
    close: () => Promise.resolve(),
  };
}
