import { mkdirSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import express from 'express';
import request from 'supertest';

import type { ReloadResult } from '../../src/config';
import { readReloadAddress, ReloadRequests } from '../../src/service/reload-requests';
import { useFolder } from '../harness/use-folder';

const DONE: ReloadResult = { changed: ['ACCESS_FILE'], needRestart: [], wrong: [] };
const reloaded = () => Promise.resolve(DONE);

describe('the address for reload requests', () => {
  const folder = useFolder();

  it('stays when another service has written its own', () => {
    const [former, next] = [new ReloadRequests(folder, reloaded), new ReloadRequests(folder, reloaded)];
    former.publish('127.0.0.1', 1);
    next.publish('::', 2);
    former.close();
    expect(readReloadAddress(folder)?.url).toBe('http://[::]:2/reload');
    next.close();
    expect(readReloadAddress(folder)).toBeUndefined();
  });

  it.each([
    ['10.1.2.3', 'http://10.1.2.3:81/reload'],
    ['::1', 'http://[::1]:81/reload'],
    [undefined, 'http://127.0.0.1:81/reload'],
  ])('on %s is %s, for its owner only', (host, url) => {
    writeFileSync(join(folder, 'reload.json.new'), 'from a start that was killed', { mode: 0o644 });
    const requests = new ReloadRequests(folder, reloaded);
    requests.publish(host, 81);
    expect(readReloadAddress(folder)?.url).toBe(url);
    if (process.platform !== 'win32') expect(statSync(join(folder, 'reload.json')).mode & 0o077).toBe(0);
    requests.close();
  });

  it('is an error if it cannot be read', () => {
    const path = join(folder, 'reload.json');
    mkdirSync(path);
    expect(() => readReloadAddress(folder)).toThrow(`Cannot read ${path}. EISDIR`);
    rmdirSync(path);
  });
});

describe('a reload request', () => {
  const folder = useFolder();

  it('needs the token of the data folder', async () => {
    const requests = new ReloadRequests(folder, reloaded);
    requests.publish(undefined, 1);
    const app = express().use(requests.route);
    const { token } = readReloadAddress(folder) ?? {};
    const post = (authorization: string) => request(app).post('/reload').set('Authorization', authorization);
    const answer = await post(`Bearer ${token ?? ''}`);
    expect([answer.status, answer.body, answer.headers['cache-control']]).toEqual([200, DONE, 'no-store']);
    const refused = await post('Bearer another');
    expect([refused.status, refused.text, refused.headers['content-type']]).toEqual([
      403,
      'Run the command reload as the service’s user.\n',
      'text/plain; charset=utf-8',
    ]);
    expect((await request(app).post('/reload')).status).toBe(403);
    expect((await request(app).get('/reload')).status).toBe(404);
    expect((await request(app).post('/other')).status).toBe(404);
  });
});
