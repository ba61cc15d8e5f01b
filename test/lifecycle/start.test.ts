import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { greeting, listen, prepareDataFolder } from '../../src/lifecycle';

describe('listening', () => {
  it('names the port and the setting when another program has the port', async () => {
    const first = createServer();
    const second = createServer();
    try {
      const port = await listen(first, { port: 0, host: '127.0.0.1' }, 'PORT');
      await expect(listen(second, { port, host: '127.0.0.1' }, 'ADMIN_PORT')).rejects.toThrow(
        `Cannot listen on port ${String(port)} of 127.0.0.1 (ADMIN_PORT): another program listens there.`,
      );
    } finally {
      first.close();
    }
  });

  it('says so when the machine does not have the address', async () => {
    await expect(listen(createServer(), { port: 0, host: '192.0.2.1' }, 'PORT')).rejects.toThrow(
      'this machine does not have that address',
    );
  });
});

describe('the data folder', () => {
  const directory = mkdtempSync(join(tmpdir(), 'data-folder-'));
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  it('is made, with the folders above it, and may be there already', () => {
    const path = join(directory, 'a', 'b');
    prepareDataFolder(path);
    expect(() => {
      prepareDataFolder(path);
    }).not.toThrow();
  });

  it('is named, with its setting, when it cannot be made', () => {
    const file = join(directory, 'file');
    writeFileSync(file, '');
    expect(() => {
      prepareDataFolder(join(file, 'data'));
    }).toThrow(/^The data folder .*data \(DATA_DIR\) cannot be written\. .*ENOTDIR/);
  });
});

describe('the greeting', () => {
  const content = {
    services: [
      { name: 'Marks', path: '/Marks.asmx' },
      { name: 'PushNotificationMobile', path: '/PushNotificationMobile.asmx' },
    ],
    address: 'http://localhost:8080',
    namespace: 'http://school.example/ns',
    example: { path: '/Marks.asmx', operation: 'Read', parameter: 'id', value: 'M-1' },
    adminAddress: 'http://127.0.0.1:8081',
  };

  it('lists every service, one command per binding, and the metrics', () => {
    expect(greeting(content).split('\n')).toEqual([
      'The service listens on http://localhost:8080',
      '  Marks                   http://localhost:8080/Marks.asmx',
      '  PushNotificationMobile  http://localhost:8080/PushNotificationMobile.asmx',
      'Try it, binding by binding:',
      `  GET       curl 'http://localhost:8080/Marks.asmx/Read?id=M-1'`,
      `  POST      curl -d 'id=M-1' 'http://localhost:8080/Marks.asmx/Read'`,
      expect.stringContaining(`-H 'SOAPAction: "http://school.example/ns/Read"'`),
      expect.stringContaining(`-H 'Content-Type: application/soap+xml; charset=utf-8'`),
      'Metrics for the operator: http://127.0.0.1:8081/metrics',
      'Stop it with Ctrl-C.',
    ]);
  });

  it('says when there are no pages for the operator', () => {
    expect(greeting({ ...content, adminAddress: undefined })).toContain('The operator’s pages are off.');
  });
});
