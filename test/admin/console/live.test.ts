import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';

import express from 'express';

import { listen, endServer, portOf } from '../../../scripts/harness';
import { html } from '../../../src/support/html';
import { LiveStreams } from '../../../src/admin/console/live';

describe('the streams of open pages', () => {
  const streams = new LiveStreams();
  let text = 'one';
  let asked = 0;
  let onAsked: () => void = () => undefined;
  const app = express();
  app.get('/', (request, response) =>
    streams.serve(request, response, [
      {
        id: 'part',
        everyMs: 5,
        render: () => {
          asked += 1;
          onAsked();
          return text === 'broken' ? Promise.reject(new Error('no')) : Promise.resolve(html`<p>${text}</p>`);
        },
      },
    ]),
  );
  const server = createServer(app);
  const sockets: Socket[] = [];
  beforeAll(() => listen(server));
  afterAll(() => endServer(server));

  /** Opens a page, and has what came since. */
  async function openPage(): Promise<{ readonly socket: Socket; heard: string }> {
    const socket = connect(portOf(server), '127.0.0.1');
    const listener = { socket, heard: '' };
    sockets.push(socket);
    socket.setEncoding('utf8').on('data', (chunk: string) => (listener.heard += chunk));
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'data');
    return listener;
  }

  const askedAgain = async (times: number): Promise<void> => {
    const from = asked;
    await new Promise<void>((resolve) => {
      onAsked = () => {
        if (asked >= from + times) resolve();
      };
    });
  };
  const until = async (socket: Socket, is: () => boolean): Promise<void> => {
    while (!is()) await once(socket, 'data');
  };

  it('send a part when it has changed, and continue after it could not be read for a while', async () => {
    const listener = await openPage();
    const sent = (): number => listener.heard.split('event: part').length - 1;
    await until(listener.socket, () => sent() === 1);
    await askedAgain(5);
    expect(sent()).toBe(1);
    text = 'broken';
    await askedAgain(3);
    text = 'two & more';
    await until(listener.socket, () => sent() === 2);
    expect(listener.heard).toContain(String.raw`data: {"id":"part","html":"<p>two &amp; more</p>"}`);
    listener.socket.destroy();
  });

  it('end with their pages, and are limited in number', async () => {
    const listeners = [];
    for (let count = 0; count < 24; count += 1) listeners.push(await openPage());
    expect((await openPage()).heard).toContain('503 Service Unavailable');
    for (const { socket } of listeners) socket.destroy();
    // The server hears of it a moment later.
    let heard = '503';
    while (heard.includes('503')) heard = (await openPage()).heard;
    expect(heard).toContain('200 OK');
    for (const socket of sockets) socket.destroy();
  });

  it('send a change that came while the page did not read, once it reads again', async () => {
    const written: string[] = [];
    const page = Object.assign(new EventEmitter(), {
      ...{ writableNeedDrain: false, destroyed: false, set: () => undefined, flushHeaders: () => undefined },
      write: (part: string) => written.push(part),
    });
    let shown = 'one';
    let onRendered: () => void = () => undefined;
    const rendered = (): Promise<void> => new Promise((resolve) => (onRendered = resolve));
    const render = () => {
      onRendered();
      return Promise.resolve(html`${shown}`);
    };
    const socket = { setNoDelay: () => undefined };
    // The streams use no more of a request and its answer.
    const ended = new LiveStreams().serve({ socket } as never, page as never, [
      { id: 'part', everyMs: 1, render },
    ]);
    await rendered();
    page.writableNeedDrain = true;
    shown = 'two';
    for (let times = 0; times < 2; times += 1) await rendered();
    expect(written).toHaveLength(1);
    page.writableNeedDrain = false;
    for (let times = 0; times < 2; times += 1) await rendered();
    expect(written.map((part) => part.slice(part.indexOf('html')))).toEqual([
      'html":"one"}\n\n',
      'html":"two"}\n\n',
    ]);
    page.emit('close');
    await ended;
  });
});
