import { ENDPOINT_NAMES, type RawResponse } from '../../scripts/harness';
import type { Answer } from './recorded-case';

/** Recorded cases that this service answers differently on purpose. */
export interface Deviation {
  /** Names of the cases. */
  readonly cases: RegExp;
  readonly reason: string;
  /** States what the answer still owes; throws where it does not hold. */
  readonly stillHolds: (response: RawResponse, recorded: Answer) => void;
}

export const DEVIATIONS: readonly Deviation[] = [
  {
    cases: /^get-root$/,
    reason: 'GET / lists the endpoints, where ASP.NET has no page of its own',
    stillHolds: (response) => {
      expect(response.status).toBe(200);
      expect(response.header('Content-Type')).toMatch(/^text\/html\b/);
      for (const name of ENDPOINT_NAMES) expect(response.text).toContain(`href="${name}.asmx"`);
    },
  },
  {
    cases: /^x-keys-1001$/,
    reason: 'more than 1,000 keys are refused, as .NET does and the recording host does not',
    stillHolds: (response) => {
      expect(response.status).toBe(500);
      expect(response.header('Content-Type')).toBe('text/plain; charset=utf-8');
      expect(response.text).toBe('Operation is not valid due to the current state of the object.\r\n');
    },
  },
  {
    cases: /^(meta-help-op$|meta-op-|metaq-op_EQ_)/,
    reason: "the recording host's own page for an operation failed; ASP.NET's answers 200",
    stillHolds: (response) => {
      expect(response.status).toBe(200);
      expect(response.header('Content-Type')).toBe('text/html; charset=utf-8');
      expect(response.header('Cache-Control')).toBe('private, max-age=0');
    },
  },
  {
    cases: /^(meta-wsdl-.*|metaq-(wsdl|wSdL|WSDL|WSDL_AND_x_EQ_1|x_EQ_1_AND_wsdl|%77sdl))$/,
    reason: 'the root declares its namespaces in the order of 64-bit .NET, the recording host in its own',
    stillHolds: (response, recorded) => {
      expect(response.status).toBe(recorded.status);
      expect(response.header('Content-Type')).toBe(recorded.contentType);
      expect(response.header('Cache-Control')).toBe(recorded.cacheControl);

      const ours = splitRoot(response.body);
      const theirs = splitRoot(recorded.body ?? Buffer.alloc(0));
      expect(ours.attributes).toEqual(theirs.attributes);
      expect(ours.rest.equals(theirs.rest)).toBe(true);
    },
  },
];

interface SplitDocument {
  /** Attributes of the root's start tag, sorted. */
  readonly attributes: readonly string[];
  /** Everything but the root's start tag. */
  readonly rest: Buffer;
}

function splitRoot(document: Buffer): SplitDocument {
  const start = document.indexOf('<wsdl:definitions ');
  const end = document.indexOf('>', start) + 1;
  const tag = document.toString('utf8', start, end);
  return {
    attributes: [...tag.matchAll(/ ([\w:]+="[^"]*")/g)].map(([, attribute = '']) => attribute).sort(),
    rest: Buffer.concat([document.subarray(0, start), document.subarray(end)]),
  };
}
