import type { Channel, SmsMessage } from './transport';
import { JsonLinesFile } from './json-lines-file';
import { writeOutcome } from './write-outcome';

/** Writes each SMS to a file, and sends nothing: for trying the service out, and for tests. */
export function smsFileChannel(path: string): Channel<SmsMessage> {
  const file = new JsonLinesFile(path);
  return {
    name: 'file',
    send: ({ id, phone, text }) =>
      writeOutcome(file.append({ id, time: new Date().toISOString(), phone, text })),
    close: () => Promise.resolve(),
  };
}
