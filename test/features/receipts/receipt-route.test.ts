import { createServer } from 'node:http';

import express from 'express';
import { pino } from 'pino';

import { endServer, exchange, listen } from '../../../scripts/harness';
import { BodyTooComplex } from '../../../src/delivery';
import { receiptRoute } from '../../../src/features/receipts/receipt-route';

describe('a receipt', () => {
  it.each([
    ['recorded', () => Promise.resolve(true), 200, []],
    ['forged', () => Promise.resolve(false), 403, []],
    ['too complex', () => Promise.reject(new BodyTooComplex()), 400, ['warn']],
    ['not recorded', () => Promise.reject(new Error('full')), 503, ['error']],
  ] as const)('that is %s is answered by its own status', async (_what, take, status, levels) => {
    const receipts = { isUsed: true, admits: () => true, replyTo: () => 'OK', take };
    const logged: unknown[] = [];
    const logger = pino(
      { formatters: { level: (level) => ({ level }) } },
      { write: (line: string) => logged.push((JSON.parse(line) as { level: string }).level) },
    );
    const app = express().use(receiptRoute(receipts, logger));
    const server = createServer(app);
    const port = await listen(server);
    const answer = await exchange(port, { path: '/receipts/gateway/secret', method: 'POST', body: '{}' });
    await endServer(server);
    expect([answer.status, logged]).toEqual([status, levels]);
  });
});
