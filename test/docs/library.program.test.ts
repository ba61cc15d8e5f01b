import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import ts from 'typescript';

import { childEnvironment, freePort, makeRunFolder, PACKAGE_ROOT } from '../../scripts/harness';
import { readRepositoryFile } from '../harness/repository-files';

const NAMESPACE = 'http://rooms.example/';
const [, PROGRAM = ''] =
  /^```js\n(.*?)^```$/ms.exec(readRepositoryFile('docs/internals/asmx-library.md')) ?? [];

// In a folder of the package its own name leads to what it exports, as it does where it is installed.
const folder = makeRunFolder('library');
const path = join(folder.path, 'serve.mjs');

beforeAll(() => {
  cpSync(join(__dirname, 'Rooms.wsdl'), join(folder.path, 'Rooms.wsdl'));
  writeFileSync(path, PROGRAM);
});
afterAll(() => {
  folder.remove();
});

describe('the program of docs/internals/asmx-library.md', () => {
  let program: ChildProcess;
  let address: string;

  beforeAll(async () => {
    const environment = { PORT: String(await freePort()) };
    program = spawn(process.execPath, [path], {
      cwd: folder.path,
      env: childEnvironment(environment),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (program.stdout === null) throw new Error('Its output cannot be read');
    const ended = once(program, 'close').then(() => {
      throw new Error('It ended before it listened.');
    });
    const [line] = (await Promise.race([once(createInterface(program.stdout), 'line'), ended])) as [string];
    address = line;
  });
  afterAll(async () => {
    program.kill('SIGKILL');
    await once(program, 'close');
  });

  const soap = async (operation: string, markup: string): Promise<[status: number, body: string]> => {
    const response = await fetch(`${address}Rooms.asmx`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: `"${NAMESPACE}${operation}"` },
      body: `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><${operation} xmlns="${NAMESPACE}">${markup}</${operation}></e:Body></e:Envelope>`,
    });
    return [response.status, await response.text()];
  };

  it('has about twenty lines', () => {
    expect(PROGRAM.split('\n').filter((line) => line !== '').length).toBeLessThanOrEqual(20);
  });

  it('serves its description with its own address', async () => {
    const description = await (await fetch(`${address}Rooms.asmx?WSDL`)).text();
    expect(description).toContain(`<soap:address location="${address}Rooms.asmx" />`);
  });

  it('answers over SOAP, and over GET and POST if the description has them', async () => {
    expect(await soap('RoomOf', '<teacher>Ms Ada</teacher>')).toEqual([
      200,
      expect.stringContaining('<RoomOfResult>B-12</RoomOfResult>'),
    ]);
    const get = await fetch(`${address}Rooms.asmx/RoomsOf?building=B`);
    expect(await get.text()).toMatch(/<ArrayOfRoom [^>]*xmlns="http:\/\/rooms\.example\/">\r\n {2}<Room>/);
    const body = new URLSearchParams({ room: 'B-12' });
    const post = await fetch(`${address}Rooms.asmx/Release`, { method: 'POST', body });
    expect([post.status, await post.text()]).toEqual([200, '']);
  });

  it('returns its own fault in its own words', async () => {
    const [status, body] = await soap('Release', '<room>C-1</room>');
    expect(status).toBe(500);
    expect(body).toContain(
      '<faultcode>soap:Client</faultcode><faultstring>There is no room C-1.</faultstring>',
    );
  });
});

describe('school-notifications/asmx', () => {
  it('has types that match the program', () => {
    const checked = ts.createProgram([path], {
      allowJs: true,
      checkJs: true,
      noEmit: true,
      module: ts.ModuleKind.Node20,
      target: ts.ScriptTarget.ES2023,
      strict: true,
      skipLibCheck: true,
      types: ['node'],
      // The declarations are made of it when the package is built.
      paths: { 'school-notifications/asmx': [join(PACKAGE_ROOT, 'src', 'asmx', 'index.ts')] },
    });
    const found = ts
      .getPreEmitDiagnostics(checked, checked.getSourceFile(path))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
    expect(found).toEqual([]);
    expect(checked.getSourceFiles().map(({ fileName }) => fileName)).toContainEqual(
      expect.stringMatching(/\/src\/asmx\/index\.ts$/),
    );
  });
});
