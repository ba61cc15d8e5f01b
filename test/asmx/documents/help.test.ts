// Beyond the wire contract, section 7: the help on operations and parameters, if the application provides it.

import { ContractError, createAsmx } from '../../../src/asmx';
import type { ServiceHelp } from '../../../src/asmx/internal';
import { readDescription } from '../../../scripts/harness';
import { startAsmxServer } from '../../harness/asmx-server';
import { handlerOf } from '../../harness/recording-endpoints';
import { useServer } from '../../harness/use-server';
import { plain, textOf } from './read-page';

const GET_STUDENTS: ServiceHelp[string] = {
  summary: 'Lists <students>.',
  parameters: {
    school_base_url: {
      meaning: 'The school & its URL.',
      example: `http://a.example/?"<&'`,
      refused: { value: '', text: 'It is empty.' },
    },
    show_active: { meaning: 'A flag.', example: 'İ' },
  },
  result: 'Nobody is the empty list.',
};
const SEND_MARKS: ServiceHelp[string] = {
  summary: 'Sends marks.',
  parameters: Object.fromEntries(
    ['id', 'id_class', 'baseUrlSchool'].map((name) => [name, { meaning: `The ${name}.` }]),
  ),
  result: 'It is stored.',
};
const HELP: ServiceHelp = { GetStudentSchool: GET_STUDENTS, SendMarkNotes: SEND_MARKS };

const nothing = handlerOf(() => undefined);
const endpoint = (help: ServiceHelp) => ({
  description: readDescription('NotificationNotes'),
  handlers: { GetStudentSchool: nothing, SendMarkNotes: nothing },
  help,
});

describe('the pages of operations with help', () => {
  const server = useServer(() => startAsmxServer({ endpoints: [endpoint(HELP)] }));
  const pageOf = (query: string) => server.send({ path: `/NotificationNotes.asmx${query}` });

  it('show it as text', async () => {
    const page = await pageOf('?op=GetStudentSchool');
    for (const markup of [
      '<p class="lead">Lists &lt;students&gt;.</p>',
      'The school &amp; its URL.',
      'An empty value is refused: “It is empty.”',
      'Nobody is the empty list.',
    ])
      expect(page.text).toContain(markup);
    expect(plain(page.text)).toContain('304 for İ; over HTTP GET and POST it is the character itself');
    expect((await pageOf('')).text).toContain('<p>Sends marks.</p>');
    expect((await server.send({ path: '/' })).text).toContain('Sends marks.');
  });

  it('use the examples in samples, curl lines, programs and form, in the form of each binding', async () => {
    const page = await pageOf('?op=GetStudentSchool');
    const url = encodeURIComponent(`http://a.example/?"<&'`);
    const inXml = `http://a.example/?"&lt;&amp;'`;
    for (const soap of ['soap11', 'soap12']) {
      expect(textOf(page, `${soap}-request`)).toContain(
        `<school_base_url>${inXml}</school_base_url>\n      <show_active>304</show_active>`,
      );
      expect(textOf(page, `${soap}-curl`)).toContain('<show_active>304</show_active>');
    }
    expect(textOf(page, 'get-request')).toContain(`?school_base_url=${url}&show_active=%C4%B0 HTTP`);
    expect(textOf(page, 'post-request')).toContain(`\n\nschool_base_url=${url}&show_active=%C4%B0`);
    expect(textOf(page, 'dotnet-call')).toContain(`("http://a.example/?\\"<&'", 'İ')`);
    expect(page.text).toContain(`value="http://a.example/?&quot;&lt;&amp;'"`);
    expect(page.text).toContain('id="value-show_active" value="İ"');
  });

  it('show placeholders if there is no example', async () => {
    const page = await pageOf('?op=SendMarkNotes');
    expect(textOf(page, 'get-request')).toContain('?id=string&id_class=string&baseUrlSchool=string HTTP');
    expect(page.text).toContain('id="value-id" value=""');
  });
});

describe('the help for operations', () => {
  const without = (name: string): ServiceHelp =>
    Object.fromEntries(Object.entries(HELP).filter(([key]) => key !== name));
  const { show_active, ...oneParameter } = GET_STUDENTS.parameters;
  const withParameters = (parameters: ServiceHelp[string]['parameters']): ServiceHelp => ({
    ...HELP,
    GetStudentSchool: { ...GET_STUDENTS, parameters },
  });

  it.each([
    ['a missing operation', without('SendMarkNotes'), 'SendMarkNotes'],
    ['an unknown operation', { ...HELP, SendMarks: SEND_MARKS }, 'SendMarks'],
    ['a missing parameter', withParameters(oneParameter), 'show_active'],
    [
      'an unknown parameter',
      withParameters({ ...oneParameter, show_activ: show_active ?? { meaning: '' } }),
      'show_activ',
    ],
  ])('must match the description: %s', async (_what, help, name) => {
    const opened = createAsmx({ endpoints: [endpoint(help)] });
    await expect(opened).rejects.toThrow(ContractError);
    await expect(opened).rejects.toThrow(new RegExp(`NotificationNotes.* ${name}\\.$`));
  });
});

describe('the page for a resource that does not exist', () => {
  const server = useServer(() => startAsmxServer({ endpoints: [endpoint(HELP)] }));

  it.each([
    ['/Nope', './'],
    ['/Nope.asmx?wsdl', './'],
    ['/a/', '../'],
    ['/a/b/c?d=/e/', '../../'],
    ['/a'.repeat(500), '../'.repeat(20)],
  ])('links to the home page: %s', async (path, home) => {
    const { status, text } = await server.send({ path });
    expect(status).toBe(404);
    expect(text).toContain(`<a href="${home}">All services</a>`);
  });
});
