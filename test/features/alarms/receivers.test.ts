import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { SMTPServer } from 'smtp-server';

import { endServer, listen, portOf } from '../../../scripts/harness';
import { readAlertsFile } from '../../../src/features/alarms/alerts-file';
import { testNotification } from '../../../src/features/alarms/notifier';
import { failureText, NotAccepted, openReceivers } from '../../../src/features/alarms/receivers';
import { loadConfig } from '../../../src/config';
import { countTimers } from '../../harness/count-timers';
import { useFolderPerTest } from '../../harness/use-folder';

const folder = useFolderPerTest();
const DETAILS = { school: 'Çamlıca Lisesi', page: '/schools' };

function fileOf(content: object) {
  const file = join(folder(), 'alerts.json');
  writeFileSync(file, JSON.stringify(content), { mode: 0o600 });
  return readAlertsFile(file);
}

const emailOf = (fields: object) => ({
  email: { ...{ host: '127.0.0.1', from: 'service@school.example', to: ['it@school.example'] }, ...fields },
});
const writtenEmail = (fields: object) =>
  fileOf({ receivers: { office: emailOf(fields) } }).receivers['office']?.email;

function sendTo(receiver: object, { timeoutMs, settings = {}, ...file }: SendOptions = {}) {
  const config = loadConfig({ NO_PROXY: '*', ...settings });
  const [opened] = openReceivers(fileOf({ ...file, receivers: { office: receiver } }), config, timeoutMs);
  if (opened === undefined) throw new Error('No receiver');
  const notification = { ...testNotification('node:8080'), since: '2026-03-02T10:00:00.000Z' };
  return opened.send(notification, DETAILS);
}

interface SendOptions {
  readonly timeoutMs?: number;
  readonly settings?: Readonly<Record<string, string>>;
  readonly console?: string;
}

describe('a mail', () => {
  let mails: string[];
  let names: string[];
  let server: SMTPServer;
  let onClose: () => void = () => undefined;
  beforeEach(async () => {
    mails = [];
    names = [];
    server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onMailFrom: (_address, { hostNameAppearsAs }, callback) => {
        names.push(hostNameAppearsAs);
        callback();
      },
      onClose: () => {
        onClose();
      },
      onData: (stream, _session, callback) => {
        void text(stream).then((mail) => {
          mails.push(mail);
          callback();
        });
      },
    });
    const listening = once(server.server, 'listening');
    server.listen(0, '127.0.0.1');
    await listening;
  });
  afterEach(
    () =>
      new Promise<void>((resolve) => {
        server.close(resolve);
      }),
  );
  const send = (fields: object = {}, options: SendOptions = {}) =>
    sendTo(emailOf({ port: portOf(server.server), encryption: 'none', ...fields }), options);
  /** The text of the last mail, without its encoding. */
  const body = () =>
    (mails.at(-1) ?? '')
      .replaceAll('=\r\n', '')
      .replace(/(?:=[0-9A-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString());

  it('names the school, links the console’s page, and gives times in TIME_ZONE', async () => {
    await send(
      {},
      { settings: { TIME_ZONE: 'Europe/Istanbul', ADMIN_HOST: '127.0.0.1', ADMIN_PORT: '8090' } },
    );
    expect(body()).toContain('Çamlıca Lisesi: Test: This is a test of the alerts (info)\r\n');
    expect(body()).toContain('Console: http://127.0.0.1:8090/schools\r\n');
    expect(body()).toContain('since 2026-03-02 13:00:00 (Europe/Istanbul)');
    await send({}, { console: 'https://console.school.example/' });
    expect(body()).toContain('Console: https://console.school.example/schools\r\n');
    await send({}, { settings: { ADMIN_PORT: 'off' } });
    expect(body()).not.toContain('Console:');
  });

  it('leaves no timer behind, which would keep the command alerts test running', async () => {
    /** The server has timers of its own until the connection is closed. */
    const sendAndClose = () => Promise.all([send(), new Promise<void>((resolve) => (onClose = resolve))]);
    // The first mail loads the library.
    await sendAndClose();
    const before = countTimers();
    await sendAndClose();
    expect(countTimers()).toBeLessThanOrEqual(before);
  });

  it('greets the server with the domain of its sender, or with the name in the file', async () => {
    await send();
    await send({ ehlo: 'alerts.school.example' });
    expect(names).toEqual(['school.example', 'alerts.school.example']);
  });

  it('takes display names and international domains', async () => {
    await send({
      from: 'Öğrenci Servisi <service@okül.example>',
      to: ['"Office, 1st floor" <a@x.example>', 'b@okül.example'],
    });
    expect(mails[0]).toContain('<service@xn--okl-ioa.example>');
    expect(mails[0]).toContain('To: "Office, 1st floor" <a@x.example>, b@xn--okl-ioa.example\r\n');
    expect(names).toEqual(['xn--okl-ioa.example']);
  });
});

describe('the file of receivers', () => {
  it.each([
    [{ port: 465 }, 'tls'],
    [{ port: 465, encryption: 'none' }, 'none'],
    [{ port: 587 }, 'starttls'],
    [{}, 'starttls'],
  ])('with %j uses the encryption %s', (fields, encryption) => {
    expect(writtenEmail(fields)).toMatchObject({ encryption });
  });

  it.each([
    ...['a', 'a@', '@x.example', 'a@x', 'a b@x.example', 'a..b@x.example', 'a@x.example>', 'A <a@x.example'],
    ...['A <a@x.example> b', 'a@x.example, b@x.example', 'a@-x.example', 'A\r\nBcc: <a@x.example>'],
  ])('refuses the address %j', (address) => {
    expect(() => writtenEmail({ to: [address] })).toThrow(/to > 0: is not a valid e-mail address/);
  });
});

describe('a receiver that falls silent or dies', () => {
  const sockets = new Set<Socket>();
  let server: Server;
  const start = async (onConnection: (socket: Socket) => void): Promise<number> => {
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      onConnection(socket);
    });
    await listen(server);
    return portOf(server);
  };
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await endServer(server);
  });

  it('fails if it is a webhook', async () => {
    const port = await start(() => undefined);
    const webhook = { url: `http://127.0.0.1:${String(port)}/` };
    await expect(sendTo({ webhook }, { timeoutMs: 20 })).rejects.toThrow(/timeout/);
  });

  it('fails if it is a mail server', async () => {
    const port = await start(() => undefined);
    const email = emailOf({ port, encryption: 'none' });
    await expect(sendTo(email, { timeoutMs: 20 })).rejects.toThrow(/greeting|timeout|takes too long/i);
  });

  it('fails at once if it is a webhook that closes the connection instead of answering', async () => {
    const port = await start((socket) => socket.once('data', () => socket.destroy()));
    const webhook = { url: `http://127.0.0.1:${String(port)}/` };
    const failure = await sendTo({ webhook }).catch((error: unknown) => error);
    expect(failure).not.toBeInstanceOf(NotAccepted);
    expect(failureText(failure)).toMatch(/closed/);
  });

  it('fails at once if it is a mail server that dies in the middle of the mail', async () => {
    const answers = ['250 hello', '250 sender', '250 recipient', '354 go on'];
    const port = await start((socket) => {
      socket.write('220 ready\r\n');
      socket.on('data', () => {
        const next = answers.shift();
        if (next === undefined) socket.destroy();
        else socket.write(`${next}\r\n`);
      });
    });
    const failure = await sendTo(emailOf({ port, encryption: 'none' })).catch((error: unknown) => error);
    expect(answers).toEqual([]);
    expect(failure).not.toBeInstanceOf(NotAccepted);
    expect(failureText(failure)).toMatch(/closed/i);
  });

  it('fails if it is a mail server that sends something now and then', async () => {
    const port = await start((socket) => {
      socket.write('220 ready\r\n');
      socket.once('data', () => {
        const timer = setInterval(() => socket.write('250-MORE\r\n'), 5);
        socket.on('close', () => {
          clearInterval(timer);
        });
      });
    });
    const email = emailOf({ port, encryption: 'none' });
    await expect(sendTo(email, { timeoutMs: 200 })).rejects.toThrow('The mail server takes too long.');
  });
});
