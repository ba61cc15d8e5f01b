// The wire contract, sections 2.3 and 2.4: lists, in memory that is used again.

import { once } from 'node:events';
import type { StringArguments } from '../../harness/recording-endpoints';
import { connect, type Socket } from 'node:net';

import type { RecordValue } from '../../../src/asmx';
import { type AsmxServer, startAsmxServer } from '../../harness/asmx-server';
import { exchange, readDescription } from '../../../scripts/harness';

/** Some 700 kB: memory that is kept. */
const RECORDS = 6_000;
/** More of them than the system takes off the server's hands. */
const LATE = Array.from({ length: 24 }, (_, at) => `late${String(at)}`);

const listOf = (name: string, length: number): readonly RecordValue[] =>
  Array.from({ length }, (_, at) => ({ id_student: String(at), fullName: name }));

const pathOf = (name: string, size = 'L'): string =>
  `/NotificationNotes.asmx/GetStudentSchool?school_base_url=${name}&show_active=${size}`;

/** Reads until the server closes the connection. */
async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.resume();
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

// Their memory is used again for the next: not before the last byte has gone.
describe('lists', () => {
  let server: AsmxServer;
  let endWait: () => void = () => undefined;
  beforeAll(async () => {
    server = await startAsmxServer({
      endpoints: [
        {
          description: readDescription('NotificationNotes'),
          handlers: {
            GetStudentSchool: ({ school_base_url: name, show_active: size }: StringArguments) =>
              name === 'wait'
                ? new Promise<readonly RecordValue[]>((resolve) => {
                    endWait = () => {
                      resolve([]);
                    };
                  })
                : Promise.resolve(listOf(name ?? '', size === 'S' ? 3 : RECORDS)),
            SendMarkNotes: () => Promise.resolve(undefined),
          },
        },
      ],
    });
  });
  afterAll(() => server.close());

  it('reach a slow caller intact while others get theirs', async () => {
    const late = connect({ port: server.port, host: '127.0.0.1' });
    late.pause();
    for (const name of LATE) late.write(`GET ${pathOf(name)} HTTP/1.1\r\nHost: a\r\n\r\n`);
    late.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    for (const name of ['first', 'second', 'third', 'fourth']) {
      const { text } = await exchange(server.port, { path: pathOf(name) });
      expect(text.split(`<fullName>${name}</fullName>`)).toHaveLength(RECORDS + 1);
    }
    const text = await readAll(late);
    for (const name of LATE) expect(text.split(`<fullName>${name}</fullName>`)).toHaveLength(RECORDS + 1);
  });

  it('stay intact while an earlier answer on the same connection is pending', async () => {
    const waiting = connect({ port: server.port, host: '127.0.0.1' });
    waiting.write(`GET ${pathOf('wait')} HTTP/1.1\r\nHost: a\r\n\r\n`);
    waiting.write(`GET ${pathOf('behind', 'S')} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    for (const name of ['first', 'second', 'third']) {
      await exchange(server.port, { path: pathOf(name, 'S') });
    }
    endWait();
    expect((await readAll(waiting)).match(/<fullName>\w+/g)).toEqual(Array(3).fill('<fullName>behind'));
  });

  it('do not affect others when their caller disconnects', async () => {
    const gone = connect({ port: server.port, host: '127.0.0.1' });
    gone.write(`GET ${pathOf('gone')} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await once(gone, 'data');
    gone.destroy();
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (name) => (await exchange(server.port, { path: pathOf(name) })).text),
    );
    expect(answers.map((text) => new Set(text.match(/<fullName>\w+/g)).size)).toEqual([1, 1, 1, 1]);
    expect(answers.join('')).not.toContain('gone');
  });
});
