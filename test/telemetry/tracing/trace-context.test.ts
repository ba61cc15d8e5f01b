import fc from 'fast-check';

import { readTraceContext } from '../../../src/telemetry/tracing';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const PARENT = `00-${TRACE}-${SPAN}-01`;

const parentOf = (traceparent: string) => readTraceContext({ traceparent })?.traceparent;
const stateOf = (tracestate: string) => readTraceContext({ traceparent: PARENT, tracestate })?.tracestate;

describe('what a request says that it is a part of', () => {
  it.each([
    ['as it is', PARENT, PARENT],
    ['that is not sampled', `00-${TRACE}-${SPAN}-00`, `00-${TRACE}-${SPAN}-00`],
    ['with flags that are not known', `00-${TRACE}-${SPAN}-fe`, `00-${TRACE}-${SPAN}-00`],
    ['of a later version', `cc-${TRACE}-${SPAN}-03-what comes then`, PARENT],
    ['of a later version without more', `01-${TRACE}-${SPAN}-01`, PARENT],
  ])('is taken %s', (_what, sent, taken) => {
    expect(parentOf(sent)).toBe(taken);
  });

  it.each([
    ['of no version', `ff-${TRACE}-${SPAN}-01`],
    ['of version 00 with more', `${PARENT}-more`],
    ['of a later version with too much', `01-${TRACE}-${SPAN}-01-${'x'.repeat(201)}`],
    ['without a trace', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['without a span', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['in capitals', PARENT.toUpperCase()],
    ['that is too short', PARENT.slice(0, -1)],
    ['that comes twice', `${PARENT}, ${PARENT}`],
    ['with a blank', ` ${PARENT}`],
    ['with the end of a line', `${PARENT}\n`],
    ['that is empty', ''],
  ])('is passed over %s', (_what, sent) => {
    expect(parentOf(sent)).toBeUndefined();
  });

  it('is nothing without the header', () => {
    expect(readTraceContext({ tracestate: 'vendor=1' })).toBeUndefined();
  });

  it.each([
    ['one member', 'vendor=1', 'vendor=1'],
    ['blanks and empty members', 'a=1 , ,b=2\t,', 'a=1,b=2'],
    ['a tenant', '0t@system=x y', '0t@system=x y'],
    ['32 members', members(32), members(32)],
  ])('has a state of %s', (_what, sent, taken) => {
    expect(stateOf(sent)).toBe(taken);
  });

  it.each([
    ['33 members', members(33)],
    ['over 512 characters', `a=${'x'.repeat(511)}`],
    ['a member without a value', 'a=1,b'],
    ['an empty value', 'a='],
    ['a name in capitals', 'A=1'],
    ['a name twice', 'a=1,a=2'],
    ['other characters', 'a=ü'],
    ['a second sign', 'a=b=c'],
    ['no member', ' , '],
  ])('has no state of %s, and is a part all the same', (_what, sent) => {
    expect(readTraceContext({ traceparent: PARENT, tracestate: sent })).toEqual({ traceparent: PARENT });
  });

  it('is to the letter, whatever is sent', () => {
    const likeAParent = fc.stringMatching(/^[0-9a-f-]{50,60}$/);
    const likeAState = fc.stringMatching(/^[a-z@=, ]{0,40}$/);
    fc.assert(
      fc.property(
        fc.oneof(fc.constant(PARENT), likeAParent, fc.string()),
        fc.oneof(likeAState, fc.string()),
        (parent, state) => {
          const read = readTraceContext({ traceparent: parent, tracestate: state });
          expect(read?.traceparent ?? PARENT).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/);
          expect(read?.tracestate ?? 'a=1').toMatch(/^[ -~]{3,512}$/);
        },
      ),
    );
  });
});

function members(count: number): string {
  return Array.from({ length: count }, (_, at) => `k${String(at)}=${String(at)}`).join(',');
}
