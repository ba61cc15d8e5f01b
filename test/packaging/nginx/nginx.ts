import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';

import { ClientSSLSecurity, createClientAsync } from 'soap';

import {
  atExit,
  ENDPOINT_NAMES,
  exchange,
  freePort,
  PACKAGE_ROOT,
  type RawRequest,
} from '../../../scripts/harness';
import type { Report } from '../../interop/report';
import { findCommand } from '../../interop/run-command';
import { certify } from '../../harness/certificates';
import { deviceWhere, loadSchools, SCHOOL, studentsWith, withService } from '../../interop/school';
import { Trial, until, type Workplace } from '../trial';
import { throughProxies } from './java-proxies';

const PHONE = '905551112233';
/** An address of this machine that is not on the list of admitted ones. */
const STRANGER = '127.0.0.2';

/** The example for nginx, with Debian's, on free ports of this machine and with shorter times. */
export async function tryNginx({ folder }: Workplace, report: Report): Promise<void> {
  const trial = new Trial(report, 'nginx.conf');
  if (trial.lacks('all of it', 'nginx')) return;
  const schools = await loadSchools(folder);
  // Less than nginx passes on by itself, so that the test need not wait long for the service.
  const settings = { HOST: '127.0.0.1', TRUST_PROXY: 'loopback', REQUEST_TIMEOUT_SECONDS: '2' };
  await withService(folder, schools, settings, async ({ process: service }) => {
    // With less time for headers than it gives by itself, so that the test need not wait long for it.
    await behind(await startNginx(folder, service.port, '1s'), (nginx) => throughNginx(nginx, trial));
    // A virtual machine that starts needs longer than that for its handshake.
    await behind(await startNginx(folder, service.port, '20s'), (nginx) =>
      throughProxies(nginx, folder, trial),
    );
  });
}

async function behind(nginx: Nginx, work: (nginx: Nginx) => Promise<void>): Promise<void> {
  try {
    await work(nginx);
  } finally {
    await nginx.stop();
  }
}

interface Nginx {
  readonly port: number;
  /** Holds the certificate of the authority that signed its own. */
  readonly ca: string;
  /** @param from - address of this machine that the request comes from */
  ask(request: RawRequest, from?: string): ReturnType<typeof exchange>;
  dial(): Promise<TLSSocket>;
  log(): string;
  connectionsBehind(): number;
  stop(): Promise<void>;
}

async function startNginx(parent: string, servicePort: number, headerTime: string): Promise<Nginx> {
  const folder = mkdtempSync(join(parent, 'nginx-'));
  const port = await freePort();
  const { certificate, key } = certify({ name: 'localhost' });
  writeFileSync(join(folder, 'school-notifications.crt'), certificate);
  writeFileSync(join(folder, 'school-notifications.key'), key);
  const at = (name: string): string => join(folder, name);
  writeFileSync(
    at('school-notifications-nodes.conf'),
    changed('nginx-nodes.conf', [[/127\.0\.0\.1:8080/, `127.0.0.1:${String(servicePort)}`]]),
  );
  const http = changed('nginx.conf', [
    [/listen 443/, `listen 127.0.0.1:${String(port)}`],
    [/\/etc\/nginx/g, folder],
    [/\/var\/log\/nginx/g, folder],
    [/client_header_timeout 20s/, `client_header_timeout ${headerTime}`],
    [/allow 127\.0\.0\.0\/8/, 'allow 127.0.0.1'],
  ]);
  const conf = at('main.conf');
  writeFileSync(
    conf,
    `pid ${folder}/pid; error_log ${folder}/start.log; events {}
     http { client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/f;
     uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;\n${http}\n}`,
  );
  const child = spawn(findCommand('nginx') ?? 'nginx', ['-c', conf, '-g', 'daemon off; user root;'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const kill = atExit(() => child.kill('SIGTERM'));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => (said += part));
  const closed = once(child, 'close');
  const tls = { ca: certificate, servername: 'localhost' };
  await until('nginx listens', async () => {
    if (child.exitCode !== null) throw new Error(said);
    return exchange(port, { path: '/healthz', headers: [['Host', 'localhost']] }, tls).then(
      () => true,
      () => false,
    );
  });
  return {
    port,
    ca: certificate,
    ask: (request, from = '127.0.0.1') => {
      // tls.connect takes what net.connect takes, which its type does not say.
      const options = { ...tls, localAddress: from };
      return exchange(port, request, options);
    },
    dial: async () => {
      const socket = connect({ ...tls, port, host: '127.0.0.1' });
      await once(socket, 'secureConnect');
      return socket;
    },
    log: () => ['access.log', 'error.log'].map((name) => readFileSync(at(name), 'utf8')).join(''),
    connectionsBehind: () => connectionsTo(servicePort),
    stop: async () => {
      kill();
      await closed;
    },
  };
}

/** A file of the example's, as it suits this machine. */
function changed(file: string, changes: readonly (readonly [RegExp, string])[]): string {
  return changes.reduce(
    (before, [pattern, by]) => {
      const after = before.replace(pattern, by);
      assert.ok(pattern.test(before), `nothing to change in ${file}: ${String(pattern)}`);
      return after;
    },
    readFileSync(join(PACKAGE_ROOT, 'packaging', file), 'utf8'),
  );
}

/** Open connections of this machine to one of its ports. */
function connectionsTo(port: number): number {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n');
  return lines
    .map((line) => line.trim().split(/ +/))
    .filter(([, , to, state]) => to?.endsWith(suffix) === true && state === '01').length;
}

async function throughNginx(nginx: Nginx, trial: Trial): Promise<void> {
  const host = `localhost:${String(nginx.port)}`;
  const headers = [['Host', host]] as const;

  await trial.check('service descriptions name the address of callers', async () => {
    for (const name of ENDPOINT_NAMES) {
      const { status, text } = await nginx.ask({ path: `/${name}.asmx?WSDL`, headers });
      assert.equal(status, 200);
      assert.deepEqual(
        [...new Set([...text.matchAll(/location="(http[^"]+)"/g)].map(([, address]) => address))],
        [`https://${host}/${name}.asmx`],
      );
    }
  });
  await trial.check('a proxy made from a description calls the service', async () => {
    const device = deviceWhere((token) => token !== '');
    const trusting = new Agent({ ca: nginx.ca });
    const proxy = await createClientAsync(`https://${host}/PushNotificationMobile.asmx?WSDL`, {
      wsdl_options: { httpsAgent: trusting },
      disableCache: true,
    });
    proxy.setSecurity(new ClientSSLSecurity('', '', Buffer.from(nginx.ca)));
    // The proxy's methods have names that only the description knows.
    const call = proxy['GetTokenDeviceAsync'] as (args: object) => Promise<readonly unknown[]>;
    const [answer] = await call({ id: device.id });
    assert.deepEqual(answer, { GetTokenDeviceResult: device.token });
    trusting.destroy();
  });
  await trial.check('who is not on the list is refused, whatever is asked for', async () => {
    for (const path of [
      '/healthz',
      '/GetNoteType.asmx?WSDL',
      '/PushNotificationMobile.asmx/GetTokenDevice',
    ]) {
      const { status, text } = await nginx.ask({ path, headers }, STRANGER);
      assert.equal(status, 403);
      assert.match(text, /nginx/);
    }
    const forged = [...headers, ['X-Forwarded-For', '127.0.0.1']] as const;
    assert.equal((await nginx.ask({ path: '/healthz', headers: forged }, STRANGER)).status, 403);
    assert.equal((await nginx.ask({ path: '/healthz', headers })).status, 200);
  });
  await trial.check('what callers say of other addresses is not passed on', async () => {
    const forged = [
      ...headers,
      ['X-Forwarded-Host', 'stranger.example'],
      ['X-Forwarded-Prefix', '/x'],
      ['Forwarded', 'host=stranger.example'],
    ] as const;
    const { text } = await nginx.ask({ path: '/GetNoteType.asmx?WSDL', headers: forged });
    assert.ok(text.includes(`location="https://${host}/GetNoteType.asmx"`));
    assert.ok(!text.includes('stranger'));
  });
  await trial.check('a body over the limit gets the answer of the service', async () => {
    const body = `id=${'a'.repeat(5_000_000)}`;
    const { status, text } = await nginx.ask({
      method: 'POST',
      path: '/PushNotificationMobile.asmx/GetTokenDevice',
      headers: [...headers, ['Content-Type', 'application/x-www-form-urlencoded']],
      body,
    });
    assert.deepEqual([status, text], [500, 'Maximum request length exceeded.\r\n']);
  });
  await trial.check('a query over the limit does, too', async () => {
    const { status, text } = await nginx.ask({ path: `/GetNoteType.asmx?${'a'.repeat(9000)}`, headers });
    assert.equal(status, 400);
    assert.ok(!text.includes('nginx'));
  });
  await trial.check('a call with raw bytes in its query is answered as if they were encoded', async () => {
    const path = '/NotificationNotes.asmx/GetStudentSchool?show_active=Y&school_base_url=';
    const encoded = encodeURIComponent(SCHOOL);
    const raw = encoded.replace(/(?:%[89A-F][0-9A-F])+/g, (run) => decodeURIComponent(run));
    assert.match(raw, /[^\0-\x7f]/);
    const bytes = Buffer.from(path + raw).toString('latin1');
    const [asSent, expectedList] = await Promise.all(
      [bytes, path + encoded].map((each) => nginx.ask({ path: each, headers })),
    );
    assert.equal(asSent?.status, 200);
    assert.ok(asSent.text.includes(studentsWith('Y')[0]?.[0] ?? 'no student'));
    assert.equal(asSent.text, expectedList?.text);
    const missing = '/PushNotificationMobile.asmx/GetTokenDevice?id2=';
    const refusal = await nginx.ask({ path: `${missing}\xc5\x9f`, headers });
    const expected = await nginx.ask({ path: `${missing}%C5%9F`, headers });
    assert.deepEqual([refusal.status, refusal.text], [500, expected.text]);
  });
  await trial.check('a form keeps its type', async () => {
    const device = deviceWhere((token) => token !== '');
    const { status, text } = await nginx.ask({
      method: 'POST',
      path: '/PushNotificationMobile.asmx/GetTokenDevice',
      headers: [...headers, ['Content-Type', 'application/x-www-form-urlencoded']],
      body: `id=${encodeURIComponent(device.id)}`,
    });
    assert.equal(status, 200);
    assert.ok(text.includes(device.token));
  });
  await trial.check('connections to the service are kept', async () => {
    for (let count = 0; count < 50; count += 1) await nginx.ask({ path: '/healthz', headers });
    const kept = nginx.connectionsBehind();
    assert.ok(kept >= 1 && kept <= 10, `${String(kept)} connections`);
  });
  await trial.check('a caller whose headers come slowly is cut off', async () => {
    const socket = await nginx.dial();
    socket.write('GET /healthz HTTP/1.1\r\nHost: ');
    socket.resume();
    await once(socket, 'close');
  });
  await trial.check('a caller whose body comes slowly is cut off, however steadily', async () => {
    const socket = await nginx.dial();
    socket.on('error', () => undefined).resume();
    socket.write(
      `POST /PushNotificationMobile.asmx/GetTokenDevice HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1000\r\n\r\n`,
    );
    const drops = setInterval(() => socket.write('a'), 200);
    await once(socket, 'close');
    clearInterval(drops);
  });
  await trial.check('the log has no codes and no phone numbers', async () => {
    const path = `/AuthCodeSending.asmx/AuthCode?code=4711&phone=${PHONE}`;
    assert.equal((await nginx.ask({ path, headers })).status, 200);
    await until('the call is in the log', () => nginx.log().includes('/AuthCodeSending.asmx/AuthCode 200'));
    assert.doesNotMatch(nginx.log(), new RegExp(`${PHONE}|4711`));
  });
}
