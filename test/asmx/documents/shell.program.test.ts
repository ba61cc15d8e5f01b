// Beyond the wire contract, section 7: what the pages show to be copied into a shell.

import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';

import type { RawResponse } from '../../../scripts/harness';
import { clientLines } from '../../../src/asmx/documents/pages/client-lines';
import { anyShellWord } from '../../../src/asmx/documents/pages/commands';
import { CALLS, OPERATIONS } from '../../harness/contract-operations';
import { useReference } from '../../harness/use-server';
import { markupOf, textOf } from './read-page';
import { fillSample } from './sample-request';

const shell = (line: string): string => execFileSync('/bin/sh', ['-c', line]).toString();

describe('words for a command line', () => {
  it('arrive unchanged', () => {
    const words = [
      'http://localhost:8080/X.asmx?wsdl',
      '*,Name',
      '',
      "it's",
      'a b',
      '$(echo no) `echo no` $HOME !! \\ "x" & ; | > /dev/null #',
      "'; echo no; '",
      'two\nlines',
    ];
    // What follows a line must not be swallowed by an open quote either.
    const lines = words.map((word) => `printf '%s|' ${anyShellWord(word)} end`);
    expect(shell(lines.join('\n'))).toBe(words.map((word) => `${word}|end|`).join(''));
  });
});

describe('the client calls of an operation', () => {
  // The address comes from the request, so the author of a link could control it.
  it('quote a hostile address safely', () => {
    const operation = OPERATIONS.find(({ name }) => name === 'GetStudentSchool');
    if (operation === undefined) throw new Error('There is no GetStudentSchool');
    const urls = ['"); phpinfo(); ("', "'; touch x; '", '$HOME ${x} `id`', '\\'].map(
      (hostile) => `http://${hostile}/A.asmx`,
    );
    const lines = urls.map((url) => {
      const { call = '' } =
        clientLines(operation.endpoint, operation, url, {}).find(({ id }) => id === 'node') ?? {};
      return `printf '%s\\n--\\n' ${call}; printf '\\n==\\n'`;
    });
    const scripts = shell(lines.join('\n'))
      .split('\n==\n')
      .map((out) => out.split('\n--\n')[2]);
    for (const [at, url] of urls.entries())
      expect(scripts[at]).toContain(`createClientAsync(${JSON.stringify(`${url}?wsdl`)})`);
  });
});

describe('every curl line', () => {
  const reference = useReference();
  const pages: RawResponse[] = [];
  let outputs: readonly string[] = [];
  const pageAt = (at: number): RawResponse => {
    const page = pages[at];
    if (page === undefined) throw new Error('The page was not read');
    return page;
  };

  beforeAll(async () => {
    for (const { endpoint, name } of CALLS)
      pages.push(await reference.send({ path: `/${endpoint}.asmx?op=${name}` }));
    const lines = CALLS.map(({ binding }, at) => {
      const line = textOf(pageAt(at), `${binding}-curl`);
      expect(line).not.toContain('\n');
      return `${line.replace(/^curl/, "curl -sS --max-time 10 --noproxy '*'")}; printf '\n==\n'`;
    });
    // The server lives in this process, so nothing may block it.
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', lines.join('\n')]);
    outputs = stdout.split('\n==\n');
  });

  it.each(CALLS.map((call, at) => ({ ...call, at })))(
    'runs unchanged: $name of $endpoint by $binding',
    async ({ binding, at }) => {
      const stdout = outputs[at] ?? '';
      const answer = await reference.ask(
        fillSample(markupOf(pageAt(at), `${binding}-request`), binding, 'string'),
      );
      expect(stdout).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(stdout.slice(stdout.indexOf('\r\n\r\n') + 4)).toBe(answer.body);
    },
  );
});
