// Beyond the wire contract, section 7: the lines of programs. test/interop runs those of the stacks that it has.

import { clientLines } from '../../../src/asmx/documents/pages/client-lines';
import { OPERATIONS } from '../../harness/contract-operations';

const URL_OF_NOTES = 'http://localhost/NotificationNotes.asmx';

function callsOf(
  name: string,
  url = URL_OF_NOTES,
  without?: 'post',
  examples: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const operation = OPERATIONS.find((described) => described.name === name);
  if (operation === undefined) throw new Error(`There is no ${name}`);
  const bindings = new Set([...operation.bindings].filter((binding) => binding !== without));
  const lines = clientLines(operation.endpoint, { ...operation, bindings }, url, examples);
  return Object.fromEntries(lines.map(({ id, call = '' }) => [id, call]));
}

describe('the client calls of an operation', () => {
  it('pass a character as each language requires', () => {
    expect(callsOf('GetStudentSchool')).toEqual({
      dotnet:
        'var result = await new NotificationNotes.NotificationNotesSoapClient(' +
        'NotificationNotes.NotificationNotesSoapClient.EndpointConfiguration.NotificationNotesSoap)' +
        `.GetStudentSchoolAsync("string", 'Y');`,
      'dotnet-framework': `var result = new NotificationNotes.NotificationNotes().GetStudentSchool("string", 'Y');`,
      wsimport: `var result = new notificationnotes.NotificationNotes().getNotificationNotesSoap().getStudentSchool("string", 'Y');`,
      cxf: `var result = new notificationnotes.NotificationNotes().getNotificationNotesSoap().getStudentSchool("string", 'Y');`,
      php: `php -r '$client = new SoapClient("${URL_OF_NOTES}?wsdl"); print_r($client->GetStudentSchool(["school_base_url" => "string", "show_active" => ord("Y")]));'`,
      python: `python3 -c 'from zeep import Client; print(Client("${URL_OF_NOTES}?wsdl").service.GetStudentSchool(school_base_url="string", show_active=ord("Y")))'`,
      node: `node -e 'require("soap").createClientAsync("${URL_OF_NOTES}?wsdl").then((client) => client.GetStudentSchoolAsync({ school_base_url: "string", show_active: "Y".charCodeAt(0) })).then(([result]) => console.log(result))'`,
      powershell: `Invoke-RestMethod '${URL_OF_NOTES}/GetStudentSchool' -Method Post -Body @{ school_base_url = 'string'; show_active = 'Y' }`,
    });
  });

  it('assign no result if there is none', () => {
    const { dotnet, wsimport } = callsOf('SendMarkNotes');
    expect(dotnet).toMatch(/^await new /);
    expect(wsimport).toMatch(/^new /);
  });

  it('use the PowerShell proxy if HTTP POST is not offered', () => {
    expect(callsOf('GetStudentSchool', URL_OF_NOTES, 'post')['powershell']).toBe(
      "$service.GetStudentSchool('string', [char]'Y')",
    );
  });

  // The address comes from the request, so the author of a link could control it.
  it.each(['"); phpinfo(); ("', "'; touch x; '", '$HOME ${x} `id`', '\\'])(
    'quote the address safely: %j',
    (hostile) => {
      const url = `http://${hostile}/A.asmx`;
      const { php = '', powershell = '' } = callsOf('GetStudentSchool', url);
      expect(php).not.toMatch(/[^\\]\$\{x\}/);
      expect(powershell.replaceAll("''", '')).toMatch(/^Invoke-RestMethod '[^']*' -Method Post/);
    },
  );
});
