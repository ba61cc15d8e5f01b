// The wire contract, sections 3 to 6: a reader that knows how requests begin reads whole requests as a new one does.

import { isDeepStrictEqual } from 'node:util';

import { loadDescription, readContract } from '../../../src/asmx/contract';
import { openEndpoint } from '../../../src/asmx/endpoint';
import { DEFAULT_LIMITS } from '../../../src/asmx/limits';
import { EnvelopeReader, openSoapService, SoapBinding, type SoapHead } from '../../../src/asmx/soap';
import { PrefixCache } from '../../../src/asmx/soap/prefix-cache';
import { REFERENCE_ENDPOINTS } from '../../reference/endpoints';
import { fuzzRun } from '../../support/fuzz-run';
import { Random } from '../../support/random';
import { call, envelope11, type RawRequest, soap11 } from '../../../scripts/harness';
import { GOOD_REQUESTS } from './good-requests';
import { mutate } from './mutations';

const RUN = fuzzRun(5000);
const OPTIONS = { namespace: undefined, limits: DEFAULT_LIMITS, charReading: 'strict' } as const;

const TOKEN = call('GetTokenDevice', { id: '7' });
/** Requests whose beginning must not be taken for all that matters. */
const TRICKY: readonly RawRequest[] = [
  envelope11(`${TOKEN}</soap:Body><soap:Body>${call('GetTokenDevice', { id: '8' })}`),
  envelope11(TOKEN, '<h:Foo xmlns:h="urn:h" soap:mustUnderstand="1">x</h:Foo>'),
  envelope11(TOKEN + call('GetTokenDevice', { id: '8' })),
].map((body) => soap11('PushNotificationMobile', 'GetTokenDevice', body));

/** Opens bindings of one endpoint, each with a reader of its own that has read nothing yet. */
type OpenBinding = () => SoapBinding;

const bindings = new Map<string, OpenBinding>();

beforeAll(async () => {
  for (const definition of REFERENCE_ENDPOINTS) {
    const { contract, operations } = await openEndpoint(definition, OPTIONS);
    const wsdl = await loadDescription(definition.description);
    const service = openSoapService(wsdl, readContract(wsdl), definition.handlers);
    bindings.set(contract.path, () => {
      const reader = new EnvelopeReader(contract.namespace, OPTIONS.limits, OPTIONS.charReading);
      return new SoapBinding(reader, service, operations);
    });
  }
});

function soapRequest({ headers = [], body = '' }: RawRequest): readonly [SoapHead, Buffer] {
  const last = (wanted: string): string | undefined =>
    headers.findLast(([name]) => name.toLowerCase() === wanted)?.[1];
  return [{ contentType: last('content-type'), soapAction: last('soapaction') }, Buffer.from(body)];
}

it(
  `reads what a new one reads: ${RUN.title}`,
  () => {
    const find = jest.spyOn(PrefixCache.prototype, 'find');
    const seeds = [...GOOD_REQUESTS, ...TRICKY].filter(({ path }) => bindings.has(path));
    const oldReaders = new Map([...bindings].map(([path, open]) => [path, open()]));
    let compared = 0;
    let continued = 0;
    for (let index = 0; index < RUN.count; index += 1) {
      const random = new Random(RUN.seed + index);
      const good = seeds[random.below(seeds.length)];
      const mutant = good && mutate(good, random);
      // Bytes that promise no request are for the server, which frames them.
      if (good === undefined || mutant?.framed !== true) continue;
      const request = soapRequest(mutant.request);
      const open = bindings.get(good.path);
      const expected = open?.().read(...request);
      compared += 1;
      for (const [reader, before] of [
        [open?.(), soapRequest(good)],
        [open?.(), request],
        [oldReaders.get(good.path), soapRequest(good)],
      ] as const) {
        reader?.read(...before);
        find.mockClear();
        const read = reader?.read(...request);
        if (find.mock.results.some(({ value }) => value !== undefined)) continued += 1;
        // Compared by hand first: an assertion each would take most of the time.
        if (!isDeepStrictEqual(read, expected)) {
          const mutated = { index, request: mutant.request };
          expect({ ...mutated, read }).toEqual({ ...mutated, read: expected });
        }
      }
    }
    find.mockRestore();
    // Most mutants must have been compared, and many of them read from a known beginning on.
    expect(compared).toBeGreaterThan(RUN.count * 0.8);
    expect(continued).toBeGreaterThan(RUN.count / 4);
  },
  RUN.timeout,
);
