// Beyond the wire contract: which connections are kept where there are as many as there may be.

import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

import { Connections } from '../../src/asmx/connections';
import { createTurnResponse } from '../../src/asmx/pipelining';
import { WriteBacklog } from '../../src/asmx/write-backlog';

const Response = createTurnResponse(
  new WriteBacklog({ unsentMilliseconds: 1000, unsentBytes: 1000 }, () => undefined),
);

/** A connection over which this number of bytes was sent. */
function socket(bytesWritten = 0): Socket {
  return Object.defineProperty(new Socket(), 'bytesWritten', { value: bytesWritten });
}

/** A connection that waits for an answer, and a function that ends the wait. */
function busy(): { readonly socket: Socket; readonly answered: () => void } {
  const made = socket();
  const response = new Response(new IncomingMessage(made));
  response.assignSocket(made);
  return {
    socket: made,
    answered: () => {
      response.detachSocket(made);
    },
  };
}

function open(most: number) {
  let timesFull = 0;
  const connections = new Connections(most, () => (timesFull += 1));
  const add = (...sockets: readonly Socket[]): void => {
    for (const each of sockets) connections.add(each);
  };
  return { connections, add, timesFull: () => timesFull };
}

const alive = (...sockets: readonly Socket[]): readonly boolean[] =>
  sockets.map(({ destroyed }) => !destroyed);

describe('the connections of a server', () => {
  it('are all kept up to the maximum', () => {
    const { add, timesFull } = open(3);
    const all = [socket(), socket(), socket()];
    add(...all);
    expect(alive(...all)).toEqual([true, true, true]);
    expect(timesFull()).toBe(0);
  });

  it('make room when one is closed', async () => {
    const { add, timesFull } = open(1);
    const first = socket();
    add(first);
    const closed = new Promise((resolve) => first.once('close', resolve));
    first.destroy();
    await closed;
    const second = socket();
    add(second);
    expect([timesFull(), ...alive(second)]).toEqual([0, true]);
  });

  it('make room by closing the oldest one that was never answered', () => {
    const { add, timesFull, connections } = open(3);
    const [good, first, second, fresh] = [socket(100), socket(), socket(), socket()];
    add(good, first, second, fresh);
    expect(alive(good, first, second, fresh)).toEqual([true, false, true, true]);
    expect(timesFull()).toBe(1);
    expect(connections.isReserve(fresh)).toBe(false);
  });

  it('make room by closing the oldest idle one if all have been answered', () => {
    const { add } = open(2);
    const [first, second, fresh] = [socket(100), socket(1), socket()];
    add(first, second, fresh);
    expect(alive(first, second, fresh)).toEqual([false, true, true]);
  });

  it('that wait for an answer are closed only after they get it', () => {
    const { add } = open(2);
    const waiting = busy();
    const [idle, fresh, next] = [socket(100), socket(100), socket()];
    add(waiting.socket, idle, fresh);
    expect(alive(waiting.socket, idle, fresh)).toEqual([true, false, true]);
    waiting.answered();
    add(next);
    expect(alive(waiting.socket, fresh, next)).toEqual([false, true, true]);
  });

  it('accept sixteen in reserve, marked as such, and no more when all are waiting', () => {
    const { add, connections, timesFull } = open(1);
    const waiting = busy();
    add(waiting.socket);
    const reserve = Array.from({ length: 16 }, () => busy().socket);
    add(...reserve);
    const refused = socket();
    add(refused);
    expect(alive(waiting.socket, ...reserve, refused)).toEqual([
      ...Array.from({ length: 17 }, () => true),
      false,
    ]);
    expect(reserve.every((each) => connections.isReserve(each))).toBe(true);
    expect([connections.isReserve(waiting.socket), connections.isReserve(refused)]).toEqual([false, false]);
    expect(timesFull()).toBe(17);
  });

  it('in reserve are closed too when idle, to make room', () => {
    const { add, connections } = open(1);
    const waiting = busy();
    add(waiting.socket);
    const reserve = Array.from({ length: 16 }, () => socket());
    add(...reserve);
    const fresh = socket();
    add(fresh);
    expect(alive(fresh, ...reserve.slice(0, 2))).toEqual([true, false, true]);
    expect(connections.isReserve(fresh)).toBe(true);
  });

  it('are searched 256 at a time for an idle one, then the next 256', () => {
    const { add } = open(300);
    const waiting = Array.from({ length: 299 }, () => busy().socket);
    const idle = socket();
    add(...waiting, idle);
    const [first, second] = [socket(), socket()];
    add(first);
    expect(alive(idle, first)).toEqual([true, true]);
    add(second);
    expect(alive(idle, first, second)).toEqual([false, true, true]);
  });
});

describe('a TLS connection', () => {
  const secure = (carrier: Socket): TLSSocket => new TLSSocket(carrier);

  it('counts as idle until the handshake completes, whatever it received', () => {
    const { connections } = open(2);
    const [good, inHandshake, fresh] = [socket(100), socket(100), socket()];
    connections.add(good);
    connections.add(inHandshake, true);
    connections.add(fresh);
    expect(alive(good, inHandshake, fresh)).toEqual([true, false, true]);
  });

  it('is tracked by its TLS socket after the handshake', () => {
    const { connections, add } = open(1);
    const carrier = socket();
    connections.add(carrier, true);
    const secured = secure(carrier);
    connections.secured(secured);
    const fresh = socket();
    add(fresh);
    expect(alive(secured, fresh)).toEqual([false, true]);
  });

  it('is in reserve if its underlying socket was', () => {
    const { connections, add } = open(1);
    add(busy().socket);
    const carrier = socket();
    connections.add(carrier, true);
    const secured = secure(carrier);
    connections.secured(secured);
    expect([connections.isReserve(secured), connections.isReserve(carrier)]).toEqual([true, false]);
  });

  it('is closed if its underlying socket was closed meanwhile', () => {
    const { connections } = open(1);
    const secured = secure(socket());
    connections.secured(secured);
    expect(alive(secured)).toEqual([false]);
  });
});
