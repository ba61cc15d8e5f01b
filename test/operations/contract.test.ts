import { OPERATIONS } from '../../src/operations';
import { readContract } from '../harness/read-contract';
import { ENDPOINT_NAMES, readDescription } from '../../scripts/harness';

describe('the operations', () => {
  it('match the service descriptions, with the same parameters in the same order', () => {
    const described = ENDPOINT_NAMES.flatMap((endpoint) =>
      Object.values(readContract(readDescription(endpoint)).portTypes).flatMap((operations) =>
        Object.entries(operations).map(([name, { parameters }]) => [
          name,
          parameters.map(([parameter]) => parameter),
        ]),
      ),
    );
    // Three port types describe each operation; a different order or spelling in one of them would show.
    const distinct = new Set(described.map((entry) => JSON.stringify(entry)));
    expect([...distinct].sort()).toEqual(
      Object.entries(OPERATIONS)
        .map(([name, { parameters }]) => JSON.stringify([name, parameters]))
        .sort(),
    );
  });
});
