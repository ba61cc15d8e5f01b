// The wire contract, sections 1 to 6: what no request, however broken, may bring about.

import { startReference } from '../../reference/service';
import { seen, token11Is } from '../../harness/asmx-answers';
import type { AsmxServer } from '../../harness/asmx-server';
import { fuzzRun } from '../../harness/fuzz-run';
import { Random } from '../../harness/random';
import {
  exchange,
  type RawResponse,
  ResponseReader,
  token11,
  withConnection,
} from '../../../scripts/harness';
import { GOOD_REQUESTS } from './good-requests';
import { faultOf } from './judge-answer';
import { type Mutant, mutate } from './mutations';

const RUN = fuzzRun(500);
/** Mutants in flight at once. */
const LANES = 8;
/** After this number of mutants, a good request follows. */
const CHECK_EVERY = 10;

let service: AsmxServer;

beforeAll(async () => {
  service = await startReference();
});

afterAll(() => service.close());

/** All answers to a mutant; none where it promised no whole request and got none. */
async function answersTo(mutant: Mutant): Promise<readonly RawResponse[]> {
  if (mutant.framed) return [await exchange(service.port, mutant.request)];

  return withConnection(service.port, async (connection) => {
    connection.write(mutant.bytes);
    connection.endWriting();
    return readAll(await connection.readUntilClosed(), mutant.bytes.toString('latin1', 0, 4) === 'HEAD');
  });
}

function readAll(bytes: Buffer, bodiless: boolean): readonly RawResponse[] {
  const responses: RawResponse[] = [];
  const reader = new ResponseReader();
  reader.add(bytes);
  // The connection may end within the answer to half a request.
  for (let next = reader.take(true, bodiless); next; next = reader.take(true, bodiless)) {
    if (next.status >= 200) responses.push(next);
  }
  return responses;
}

async function expectGoodAnswers(mutant: Mutant): Promise<void> {
  for (const response of await answersTo(mutant)) {
    const fault = faultOf(response);
    if (fault !== undefined) {
      throw new Error(`${fault}: ${String(response.status)} ${JSON.stringify(response.text.slice(0, 1000))}`);
    }
  }
}

function describeMutant(mutant: Mutant): string {
  if (!mutant.framed) return JSON.stringify(mutant.bytes.toString('latin1'));
  const { body, ...head } = mutant.request;
  return JSON.stringify({ ...head, body: body === undefined ? null : Buffer.from(body).toString('latin1') });
}

it('answers every good request with 200 before it is mutated', async () => {
  for (const request of GOOD_REQUESTS) expect((await exchange(service.port, request)).status).toBe(200);
});

it(
  `65 Survives mutants of good requests: ${RUN.title}`,
  async () => {
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < RUN.count) {
        const index = next;
        next += 1;
        const random = new Random(RUN.seed + index);
        const mutant = mutate(random.pick(GOOD_REQUESTS), random);
        try {
          await expectGoodAnswers(mutant);
          if (index % CHECK_EVERY === 0) {
            expect(seen(await exchange(service.port, token11('7')))).toEqual(token11Is('TOKEN-7'));
          }
        } catch (error) {
          const where = `mutant ${String(index)} of seed ${String(RUN.seed)}`;
          throw new Error(`${where}: ${String(error)}\n${describeMutant(mutant)}`, { cause: error });
        }
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    expect(seen(await exchange(service.port, token11('7')))).toEqual(token11Is('TOKEN-7'));
  },
  RUN.timeout,
);
