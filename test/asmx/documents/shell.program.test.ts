// Beyond the wire contract, section 7: what the pages show to be copied into a shell.

import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';

import { clientLines } from '../../../src/asmx/documents/pages/client-lines';
import { anyShellWord } from '../../../src/asmx/documents/pages/commands';
import { CALLS, OPERATIONS } from '../../harness/contract-operations';
import { useReference } from '../../harness/use-server';
import { markupOf, textOf } from './read-page';
import { fillSample } from './sample-request';

const shell = (line: string): string => execFileSync('/bin/sh', ['-c', line]).toString();

describe('a word for a command line', () => {
  it.each([
    'http://localhost:8080/X.asmx?wsdl',
    '*,Name',
    '',
    "it's",
    'a b',
    '$(echo no) `echo no` $HOME !! \\ "x" & ; | > /dev/null #',
    "'; echo no; '",
    'two\nlines',
  ])('arrives unchanged: %j', (text) => {
    // What follows the line must not be swallowed by an open quote either.
    expect(shell(`printf '%s|' ${anyShellWord(text)} end`)).toBe(`${text}|end|`);
  });
});

describe('the client calls of an operation', () => {
  // The address comes from the request, so the author of a link could control it.
  it.each(['"); phpinfo(); ("', "'; touch x; '", '$HOME ${x} `id`', '\\'])(
    'quote the address safely: %j',
    (hostile) => {
      const operation = OPERATIONS.find(({ name }) => name === 'GetStudentSchool');
      if (operation === undefined) throw new Error('There is no GetStudentSchool');
      const url = `http://${hostile}/A.asmx`;
      const { call = '' } =
        clientLines(operation.endpoint, operation, url, {}).find(({ id }) => id === 'node') ?? {};
      const [, , script] = shell(`printf '%s\\n--\\n' ${call}`).split('\n--\n');
      expect(script).toContain(`createClientAsync(${JSON.stringify(`${url}?wsdl`)})`);
    },
  );
});

describe('every curl line', () => {
  const reference = useReference();

  it.each(CALLS)(
    'runs unchanged: $name of $endpoint by $binding',
    async ({ endpoint, name: operation, binding }) => {
      const page = await reference.send({ path: `/${endpoint}.asmx?op=${operation}` });
      const line = textOf(page, `${binding}-curl`);
      expect(line).not.toContain('\n');
      const bounded = line.replace(/^curl/, "curl -sS --max-time 10 --noproxy '*'");
      // The server lives in this process, so nothing may block it.
      const { stdout } = await promisify(execFile)('/bin/sh', ['-c', bounded]);
      const answer = await reference.ask(fillSample(markupOf(page, `${binding}-request`), binding, 'string'));
      expect(stdout).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(stdout.slice(stdout.indexOf('\r\n\r\n') + 4)).toBe(answer.body);
    },
  );
});
