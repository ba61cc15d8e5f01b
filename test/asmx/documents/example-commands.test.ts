// Beyond the wire contract, section 7: the commands that pages and service show.

import { element } from '../../harness/contract-types';
import { exampleCommands, type ServiceContract } from '../../../src/asmx/internal';

const MARKS: ServiceContract = {
  name: 'Marks',
  path: '/Marks.asmx',
  namespace: 'http://school.example/ns',
  operations: [
    {
      name: 'Read',
      parameters: [element('id', 'string'), element('flag', 'char')],
      responseElement: 'ReadResponse',
      result: undefined,
      bindings: new Set(['soap11', 'get', 'post']),
    },
  ],
};

describe('the commands for an example call', () => {
  const commands = exampleCommands(
    [MARKS],
    { operation: 'Read', values: { id: "M&1'" } },
    'https://school.example/portal',
  );
  const command = (title: string): string | undefined =>
    commands.find((each) => each.title === title)?.command;

  it('cover the bindings that offer the operation, the shortest first', () => {
    expect(commands.map(({ title }) => title)).toEqual(['HTTP GET', 'HTTP POST', 'SOAP 1.1']);
  });

  it("contain the values in the form of each binding, and the server's address", () => {
    expect(command('HTTP GET')).toBe(
      `curl -i 'https://school.example/portal/Marks.asmx/Read?id=M%261'\\''&flag=Y'`,
    );
    expect(command('HTTP POST')).toContain(`-d 'id=M%261'\\''&flag=Y'`);
    expect(command('SOAP 1.1')).toContain(`<id>M&amp;1'\\''</id><flag>89</flag>`);
    expect(command('SOAP 1.1')).toContain(`-H 'SOAPAction: "http://school.example/ns/Read"'`);
  });

  it('are empty for an operation that no service offers', () => {
    expect(exampleCommands([MARKS], { operation: 'Write', values: {} }, 'http://a.example')).toEqual([]);
  });
});
