// A service description from which bindings are taken (wire contract, section 8.1).

import { readContract, withoutBindings } from '../../../src/asmx/contract/contract-reader';
import { loadDescription } from '../../../src/asmx/soap/node-soap';
import { ENDPOINT_NAMES, form, get, readDescription, token11 } from '../../../scripts/harness';
import { startAsmxServer } from '../../harness/asmx-server';
import { endpointsWith, handlerOf } from '../../harness/recording-endpoints';
import { useServer } from '../../harness/use-server';

const PUSH = 'PushNotificationMobile';

describe('a description reduced to its open bindings', () => {
  it.each(ENDPOINT_NAMES)('of %s is unchanged if none is closed', (name) => {
    expect(withoutBindings(readDescription(name), {})).toBe(readDescription(name));
  });

  it('keeps the operation in its other bindings, and the other operations in all', async () => {
    const text = withoutBindings(readDescription('NotificationNotes'), { SendMarkNotes: ['get'] });
    const { operations } = readContract(await loadDescription(text));
    const offered = operations.map(({ name, bindings }) => [name, [...bindings].sort()]);
    expect(offered).toEqual([
      ['GetStudentSchool', ['get', 'post', 'soap11', 'soap12']],
      ['SendMarkNotes', ['post', 'soap11', 'soap12']],
    ]);
    expect(text).not.toContain('SendMarkNotesHttpGet');
    expect(text).toContain('SendMarkNotesHttpPost');
    expect(text).toContain('GetStudentSchoolHttpGetIn');
  });

  it('drops a binding that has no operations left', async () => {
    const text = withoutBindings(readDescription('AuthCodeSending'), { AuthCode: ['get', 'post'] });
    const { operations } = readContract(await loadDescription(text));
    expect(operations.map(({ bindings }) => [...bindings])).toEqual([['soap11', 'soap12']]);
    expect(text).not.toContain('Http');
    expect(text).toContain('<wsdl:port name="AuthCodeSendingSoap12"');
    expect(text).not.toMatch(/\n[ \t]*\n/);
  });
});

describe('an operation closed for GET', () => {
  const service = useServer(() =>
    startAsmxServer({
      endpoints: endpointsWith(() => handlerOf(() => 'token')).map((endpoint) => ({
        ...endpoint,
        closed: { GetTokenDevice: ['get'] },
      })),
    }),
  );

  it('is unknown over GET, in the words of ASP.NET, and works over the other bindings', async () => {
    const closed = await service.send(get(PUSH, 'GetTokenDevice', 'id=7'));
    expect(closed.status).toBe(500);
    expect(closed.text).toContain('Request format is unrecognized for URL unexpectedly ending in');
    expect((await service.send(form(PUSH, 'GetTokenDevice', 'id=7'))).status).toBe(200);
    expect((await service.send(token11('7'))).status).toBe(200);
  });

  it('is not described over GET', async () => {
    const wsdl = await service.send({ path: `/${PUSH}.asmx?WSDL` });
    expect(wsdl.text).not.toContain('HttpGet');
    expect(wsdl.text).toContain('HttpPost');
    const page = await service.send({ path: `/${PUSH}.asmx?op=GetTokenDevice` });
    expect(page.text).not.toContain('HTTP GET');
    expect(page.text).toContain('HTTP POST');
  });
});
