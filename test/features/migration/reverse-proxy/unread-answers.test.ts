import { EventEmitter } from 'node:events';

import type { Request, Response } from 'express';
import type { Dispatcher } from 'undici';

import { forward } from '../../../../src/features/migration/reverse-proxy/forwarding';
import type { OldServer } from '../../../../src/features/migration/reverse-proxy/old-server';

const UNREAD_MS = 30_000;
const PIECE = Buffer.from('piece');

/** A passage to an old server that has begun its answer to a caller whose connection takes no more for the moment. */
function beginAnswer() {
  let handler: Dispatcher.DispatchHandler = {};
  const old = {
    silenceMs: 1000,
    send: (_options: unknown, given: Dispatcher.DispatchHandler) => {
      handler = given;
    },
  };
  const request = {
    method: 'GET',
    url: '/x',
    headers: {},
    rawHeaders: [],
    socket: new EventEmitter(),
    app: { get: () => () => false },
  };
  const response = Object.assign(new EventEmitter(), {
    destroyed: false,
    writeHead: () => undefined,
    write: () => false,
    destroy: jest.fn(),
  });
  const controller = { rawHeaders: [], pause: jest.fn(), resume: jest.fn() };
  forward({
    // What forwarding needs of the three: real ones would fill the buffers of the system first.
    old: old as unknown as OldServer,
    request: request as unknown as Request,
    response: response as unknown as Response,
    body: undefined,
    unreadMs: UNREAD_MS,
    done: () => undefined,
  });
  const passing = controller as unknown as Dispatcher.DispatchController;
  handler.onRequestStart?.(passing, undefined);
  handler.onResponseStart?.(passing, 200, {}, 'OK');
  return {
    ...{ response, controller, socket: request.socket },
    sendPiece: () => {
      handler.onResponseData?.(passing, PIECE);
    },
  };
}

describe('a caller that reads its answer', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('slowly but steadily is never cut off, however long it takes', () => {
    const { response, controller, sendPiece } = beginAnswer();
    for (let piece = 1; piece <= 10; piece += 1) {
      sendPiece();
      expect(controller.pause).toHaveBeenCalledTimes(piece);
      jest.advanceTimersByTime(UNREAD_MS - 1);
      response.emit('drain');
      expect(controller.resume).toHaveBeenCalledTimes(piece);
    }
    jest.advanceTimersByTime(10 * UNREAD_MS);
    expect(response.destroy).not.toHaveBeenCalled();
  });

  it('no further is cut off after the time limit', () => {
    const { response, sendPiece } = beginAnswer();
    sendPiece();
    jest.advanceTimersByTime(UNREAD_MS - 1);
    expect(response.destroy).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(response.destroy).toHaveBeenCalledTimes(1);
  });

  it('leaves nothing behind on its connection, which brings its next request', () => {
    const { response, socket } = beginAnswer();
    expect(socket.eventNames()).toEqual(['end']);
    Object.assign(response, { writableFinished: true }).emit('close');
    expect(socket.eventNames()).toEqual([]);
  });
});
