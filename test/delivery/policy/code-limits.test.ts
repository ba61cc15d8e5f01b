import { applyCodeLimits, type CodeLimits } from '../../../src/delivery/policy/code-limits';
import type { SentCode } from '../../../src/store';

const MINUTE = 60_000;
const NOW = 100_000_000;
const OFF: CodeLimits = { repeatMs: 0, coolDownMs: 0, perTenMinutes: 0, perDay: 0, perDayOverall: 0 };

/** Codes by their digests (null where it is erased) and their age in minutes, newest first. */
function asked(
  limits: Partial<CodeLimits>,
  ...sent: readonly (readonly [digest: string | null, age: number])[]
) {
  const codes = sent.map(([digest, age], at): SentCode => ({
    ...{ id: String(at), phone: '', caller: null, digest, createdAt: NOW - age * MINUTE, alive: true },
  }));
  return applyCodeLimits({ ...OFF, ...limits }, { digest: 'next', caller: undefined }, codes, NOW);
}

const NEW = { kind: 'new' };
const tooMany = (minutes: number, reason = 'ten_minutes') => ({
  ...{ kind: 'too-many', retryAfterMs: minutes * MINUTE },
  rule: expect.objectContaining({ reason }) as object,
});

describe('the limits on codes', () => {
  it('accept a code that breaks no rule', () => {
    expect(asked({ perTenMinutes: 1, perDay: 1, coolDownMs: MINUTE })).toEqual(NEW);
    expect(asked({ perTenMinutes: 2, perDay: 2 }, ['a', 1])).toEqual(NEW);
  });

  it('count every repetition of a code', () => {
    expect(asked({ perTenMinutes: 1 }, ['a', 1], ['a', 9])).toEqual(tooMany(9));
    expect(asked({ perTenMinutes: 2 }, ['a', 1], ['a', 2], ['a', 3])).toEqual(tooMany(8));
    expect(asked({ perTenMinutes: 1 }, ['next', 1])).toEqual(tooMany(9));
  });

  it('never ask to wait longer than the window', () => {
    expect(asked({ perTenMinutes: 1 }, ['a', -60])).toEqual(tooMany(10));
  });

  it('drop a code from its window when that has passed, not before', () => {
    expect(asked({ perTenMinutes: 1 }, ['a', 10 - 1 / MINUTE])).toEqual(tooMany(1 / MINUTE));
    expect(asked({ perTenMinutes: 1 }, ['a', 10])).toEqual(NEW);
    expect(asked({ perTenMinutes: 1, perDay: 3 }, ['a', 11], ['b', 12])).toEqual(NEW);
  });

  it('count a code whose digest is erased like any other', () => {
    expect(asked({ perDay: 2 }, [null, 60], [null, 120])).toEqual(tooMany(22 * 60, 'day'));
  });

  it('apply the rule with the longest wait', () => {
    expect(asked({ coolDownMs: 2 * MINUTE, perTenMinutes: 1 }, ['a', 1])).toEqual(tooMany(9));
    expect(asked({ coolDownMs: 2 * MINUTE, perTenMinutes: 2 }, ['a', 1])).toEqual(tooMany(1, 'cool_down'));
  });

  it('accept everything when they are off, even after the clock was set back', () => {
    expect(asked({}, ['a', -60], ['b', -60])).toEqual(NEW);
  });

  it('do not treat a code as a repetition once the time for repetitions has passed', () => {
    expect(asked({ repeatMs: MINUTE }, ['next', 1])).toEqual(NEW);
    expect(asked({ repeatMs: MINUTE + 1 }, ['next', 1])).toEqual({ kind: 'repeated', messageId: '0' });
  });

  describe('per caller', () => {
    const limits = { ...OFF, repeatMs: MINUTE, coolDownMs: MINUTE, perTenMinutes: 2, perDay: 2 };
    const code = (more: Partial<SentCode>): SentCode => ({
      ...{ id: '0', phone: '', caller: 'a', digest: 'x', createdAt: NOW - 1, alive: true, ...more },
    });
    const askedBy = (caller: string | undefined, ...sent: readonly SentCode[]) =>
      applyCodeLimits(limits, { digest: 'next', caller }, sent, NOW);

    it('count only the codes of this caller', () => {
      expect(askedBy('b', code({}), code({ caller: null }))).toEqual(NEW);
      expect(askedBy('a', code({}))).toMatchObject({ kind: 'too-many' });
      expect(askedBy(undefined, code({ caller: null }))).toMatchObject({ kind: 'too-many' });
    });

    it('recognize a repetition of another caller’s code', () => {
      expect(askedBy('b', code({ digest: 'next' }))).toEqual({ kind: 'repeated', messageId: '0' });
    });

    it('allow a failed code to be repeated at once, but no other code, and only within the other limits', () => {
      const failed = code({ digest: 'next', alive: false });
      expect(askedBy('a', failed)).toEqual(NEW);
      expect(askedBy('a', failed, failed)).toMatchObject({ kind: 'too-many' });
      expect(askedBy('a', code({ alive: false }))).toMatchObject({ kind: 'too-many' });
    });
  });
});
