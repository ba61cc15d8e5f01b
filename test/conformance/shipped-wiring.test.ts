import { exchange } from '../../scripts/harness';
import { type ServiceHere, useServicesHere } from '../service/use-services-here';
import { type AsmxServer, startAsmxServer } from '../harness/asmx-server';
import { type RecordedCall, recordingEndpoints } from '../harness/recording-endpoints';
import { DEVIATIONS } from './deviations';
import { answerOf, readCases, recordedAnswer, requestOf } from './recorded-case';

/** Holds what the recorded exchanges show beside answers of the reference's own handlers. */
const KINDS = {
  'a document or a page': /^metaq?-/,
  'a fault over SOAP 1.1': /11/,
  'a fault over SOAP 1.2': /12/,
  'an error over HTTP GET': /^get-/,
  'an error over HTTP POST': /^post-/,
} as const;

/** Whose answers differ from the recorded ones by a difference of the service's own. */
const LENIENT = /^char11-letterY$/;

/**
 * The recorded exchanges that come to no handler, with the service as it is shipped: its settings, its operations,
 * its log and its process. What comes to a handler has an answer of the reference's own, and is compared with that.
 */
describe('the recorded exchanges with the shipped service', () => {
  const services = useServicesHere();
  const comparable = readCases().filter(
    ({ name }) => !LENIENT.test(name) && !DEVIATIONS.some(({ cases }) => cases.test(name)),
  );
  const calls: RecordedCall[] = [];
  let handlers: AsmxServer;
  let service: ServiceHere;
  beforeAll(async () => {
    service = await services.start();
    handlers = await startAsmxServer({ charReading: 'strict', endpoints: recordingEndpoints(calls) });
  });
  afterAll(() => handlers.close());

  it('get identical answers wherever no handler is involved', async () => {
    const compared: string[] = [];
    for (const recordedCase of comparable) {
      calls.length = 0;
      const request = requestOf(recordedCase);
      await exchange(handlers.port, request);
      if (calls.length > 0) continue;
      compared.push(recordedCase.name);
      const { name } = recordedCase;
      const answer = answerOf(recordedCase, await service.ask(request));
      const recorded = recordedAnswer(recordedCase, `127.0.0.1:${String(service.port)}`);
      expect({ name, ...answer, body: answer.body?.toString('latin1') }).toEqual({
        ...{ name, ...recorded },
        body: recorded.body?.toString('latin1'),
      });
    }
    expect(compared).toHaveLength(113);
    for (const kind of Object.values(KINDS)) expect(compared.some((name) => kind.test(name))).toBe(true);
  });
});
