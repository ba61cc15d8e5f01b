import express from 'express';
import { pino } from 'pino';
import request from 'supertest';

import { Health } from '../../src/telemetry';

describe('the health pages', () => {
  let ping: jest.Mock<Promise<void>, []>;
  let health: Health;
  let app: express.Express;
  let lines: string[];
  let bothArrived: Promise<void>;

  beforeEach(() => {
    ping = jest.fn(() => Promise.resolve());
    lines = [];
    health = new Health(ping, pino({}, { write: (line) => lines.push(line) }));
    app = express();
    bothArrived = new Promise((resolve) => {
      let arrived = 0;
      app.use((_request, _response, next) => {
        next();
        if ((arrived += 1) === 2) resolve();
      });
    });
    app.get('/healthz', health.live);
    app.get('/readyz', health.ready);
  });

  it('report that the service is alive without asking the store', async () => {
    const answer = await request(app).get('/healthz');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ status: 'alive' });
    expect(ping).not.toHaveBeenCalled();
  });

  it('report that it is ready while the store responds', async () => {
    const answer = await request(app).get('/readyz');
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.body).toEqual({ status: 'ready' });
  });

  it('name active critical alerts, but keep the service ready', async () => {
    health.showAlerts(['OldServerFails']);
    const answer = await request(app).get('/readyz');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ status: 'degraded', alerts: ['OldServerFails'] });
    expect(await health.status()).toBe('ready');
    health.showAlerts([]);
    expect((await request(app).get('/readyz')).body).toEqual({ status: 'ready' });
  });

  it('report that it is not ready while the store fails, hide the cause, and log each change once', async () => {
    ping.mockRejectedValue(new Error('ECONNREFUSED 10.1.2.3'));
    const answer = await request(app).get('/readyz');
    expect(answer.status).toBe(503);
    expect(answer.body).toEqual({ status: 'store unavailable' });
    await request(app).get('/readyz');
    ping.mockResolvedValue();
    expect((await request(app).get('/readyz')).status).toBe(200);

    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain('ECONNREFUSED');
    expect(lines[1]).toContain('store available again');
  });

  it('do the same when the store hangs, with one check for all concurrent requests', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    try {
      ping.mockReturnValue(new Promise(() => undefined));
      const answers = [request(app).get('/readyz'), request(app).get('/readyz')].map((asked) => asked.then());
      await bothArrived;
      jest.advanceTimersByTime(60_000);
      for (const answer of await Promise.all(answers)) expect(answer.status).toBe(503);
      expect(ping).toHaveBeenCalledTimes(1);
    } finally {
      jest.useRealTimers();
    }
  });

  it('report that it is alive but not ready while it drains', async () => {
    health.drain();
    const answer = await request(app).get('/readyz');
    expect(answer.status).toBe(503);
    expect(answer.body).toEqual({ status: 'draining' });
    expect((await request(app).get('/healthz')).status).toBe(200);
  });
});
