import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const MEGABYTE = 2 ** 20;
const PIECE = Buffer.alloc(MEGABYTE, 'x');
const CHUNK = Buffer.concat([Buffer.from('100000\r\n'), PIECE, Buffer.from('\r\n')]);
/** Limits what is dropped of an unwanted body and what the system keeps of both ends of a connection. */
export const MAX_SENT_BYTES = 64 * MEGABYTE;
const ENOUGH_BYTES = 512 * MEGABYTE;

const CHUNKED = /^transfer-encoding: chunked$/im;

/** Sends a head, and a body for as long as the connection is there. */
export async function flood(
  port: number,
  head: string,
): Promise<{ readonly sent: number; readonly answer: string }> {
  const socket: Socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (bytes: Buffer) => (answer += bytes.toString('latin1')));
  // It is reset in the middle of what it sends.
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      resolve();
    });
  });
  socket.write(`${head}\r\n\r\n`);
  const piece = CHUNKED.test(head) ? CHUNK : PIECE;
  let isClosed = false;
  void closed.then(() => (isClosed = true));
  // What is read here may change meanwhile.
  const goesOn = (): boolean => !isClosed && socket.bytesWritten < ENOUGH_BYTES;
  while (goesOn()) {
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain').catch(() => undefined), closed]);
  }
  socket.destroy();
  await closed;
  return { sent: socket.bytesWritten - socket.writableLength, answer };
}
