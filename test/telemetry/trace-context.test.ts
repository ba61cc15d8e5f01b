import fc from 'fast-check';

import { readTraceContext } from '../../src/telemetry/tracing';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const PARENT = `00-${TRACE}-${SPAN}-01`;

const parentOf = (traceparent: string) => readTraceContext({ traceparent })?.traceparent;
const stateOf = (tracestate: string) => readTraceContext({ traceparent: PARENT, tracestate })?.tracestate;

describe('the trace context of a request', () => {
  it.each([
    ['unchanged', PARENT, PARENT],
    ['if it is not sampled', `00-${TRACE}-${SPAN}-00`, `00-${TRACE}-${SPAN}-00`],
    ['with unknown flags', `00-${TRACE}-${SPAN}-fe`, `00-${TRACE}-${SPAN}-00`],
    ['in a later version', `cc-${TRACE}-${SPAN}-03-what comes then`, PARENT],
    ['in a later version without extra fields', `01-${TRACE}-${SPAN}-01`, PARENT],
  ])('is accepted %s', (_what, sent, taken) => {
    expect(parentOf(sent)).toBe(taken);
  });

  it.each([
    ['with an invalid version', `ff-${TRACE}-${SPAN}-01`],
    ['in version 00 with extra fields', `${PARENT}-more`],
    ['in a later version with overlong fields', `01-${TRACE}-${SPAN}-01-${'x'.repeat(201)}`],
    ['without a trace', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['without a span', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['in capitals', PARENT.toUpperCase()],
    ['if it is too short', PARENT.slice(0, -1)],
    ['if it is sent twice', `${PARENT}, ${PARENT}`],
    ['with a space', ` ${PARENT}`],
    ['with a line end', `${PARENT}\n`],
    ['if it is empty', ''],
  ])('is ignored %s', (_what, sent) => {
    expect(parentOf(sent)).toBeUndefined();
  });

  it('is empty without the header', () => {
    expect(readTraceContext({ tracestate: 'vendor=1' })).toBeUndefined();
  });

  it.each([
    ['one member', 'vendor=1', 'vendor=1'],
    ['spaces and empty members', 'a=1 , ,b=2\t,', 'a=1,b=2'],
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
    ['a second equals sign', 'a=b=c'],
    ['no member', ' , '],
  ])('has no state of %s, but is accepted', (_what, sent) => {
    expect(readTraceContext({ traceparent: PARENT, tracestate: sent })).toEqual({ traceparent: PARENT });
  });

  it('is valid to the letter, whatever is sent', () => {
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
