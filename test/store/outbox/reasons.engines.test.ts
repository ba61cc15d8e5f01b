import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import ts from 'typescript';

import { PACKAGE_ROOT } from '../../../scripts/harness';
import {
  adviceOnReason,
  type Reason,
  REASON_CODES,
  type ReasonCode,
  reasonFields,
  reasonText,
} from '../../../src/store';
import { readReason } from '../../../src/store/outbox/reasons';
import { ENGINES, useDatabase } from '../../harness/test-databases';

const START = Date.parse('2026-03-02T10:00:00Z');
const ERROR = { error: 'ECONNREFUSED' } as const;
const ANSWER = { status: 422, detail: '21211' } as const;

/** One of each code, its sentence, and a word of what to do about it. */
const EXAMPLES: {
  readonly [Code in ReasonCode]: readonly [Omit<Reason<Code>, 'code'>, sentence: string, advice: string];
} = {
  provider_timeout: [{}, 'The provider did not answer in time.', 'PROVIDER_TIMEOUT_SECONDS'],
  connection_failed: [ERROR, 'Could not connect to the provider (ECONNREFUSED).', 'firewall'],
  connection_closed: [
    { error: 'ECONNRESET' },
    'The provider closed the connection without answering (ECONNRESET).',
    'idempotent',
  ],
  proxy_refused: [
    { status: 407 },
    'The proxy refused the connection to the provider (HTTP 407).',
    'HTTPS_PROXY',
  ],
  provider_busy: [{ status: 429 }, 'The provider is limiting our rate (HTTP 429).', 'higher limit'],
  provider_failing: [{ status: 503 }, 'The provider failed (HTTP 503).', 'status page'],
  provider_rejected: [
    ANSWER,
    'The provider rejected the message (HTTP 422, code 21211).',
    'explains the code',
  ],
  account_stopped: [
    { gateway: 'netgsm', status: 200, detail: '30', meaning: 'wrong user or password' },
    'netgsm refuses the account (HTTP 200, code 30: wrong user or password).',
    'credit',
  ],
  answer_unmatched: [
    { gateway: 'netgsm', status: 200, detail: '99' },
    'netgsm gave a response that no rule in GATEWAYS_FILE matches (HTTP 200, code 99).',
    'add a rule',
  ],
  answer_unreadable: [{}, 'The gateway’s response was cut off or could not be decoded.', 'not sent twice'],
  token_dead: [
    { status: 404, detail: 'UNREGISTERED' },
    'The device is no longer registered with FCM (HTTP 404, code UNREGISTERED).',
    'new token',
  ],
  device_busy: [{}, 'FCM refused the message: too many for this device (HTTP 429).', 'automatically'],
  platform_credentials_rejected: [
    {},
    'FCM’s key for Apple’s push service is not valid (HTTP 401, THIRD_PARTY_AUTH_ERROR).',
    'Firebase console',
  ],
  sender_mismatch: [
    {},
    'The device token belongs to another Firebase project (HTTP 403, SENDER_ID_MISMATCH).',
    'FCM_SERVICE_ACCOUNT',
  ],
  access_token_refused: [{}, 'FCM rejected the access token (HTTP 401).', 'FCM_SERVICE_ACCOUNT'],
  access_token_missing: [
    { cause: { code: 'connection_failed', ...ERROR } },
    'Could not get an access token for FCM (Could not connect to the provider (ECONNREFUSED)).',
    'token_uri',
  ],
  file_not_written: [{ error: 'ENOSPC' }, 'Could not write the message to its file (ENOSPC).', 'disk'],
  workers_ended: [{}, 'Every worker that tried to send it died.', 'log'],
  service_failed: [{}, 'Internal error. See the service’s log.', 'log'],
  school_unknown: [{}, 'Unknown school.', 'npx school-notifications import'],
  class_unknown: [{}, 'Unknown class.', 'npx school-notifications import'],
  note_unknown: [{}, 'Unknown note.', 'npx school-notifications import'],
  too_many_waiting: [
    { missing: 'class' },
    'Unknown class, and too many notes are already waiting for data.',
    'which caller sends',
  ],
  note_removed: [{}, 'The note no longer exists.', 'Import it again'],
  device_gone: [{}, 'The device no longer has a valid token.', 'devices.csv'],
  no_devices: [{}, 'No student in the class has a device.', 'uses the app'],
  pushes_not_sent: [
    {
      ...{ notSent: 1200, pushes: 2500, others: 1 },
      first: { code: 'provider_failing', status: 503 },
    },
    '1,200 of 2,500 not sent: The provider failed (HTTP 503) (and 1 for another reason).',
    'status page',
  ],
  expired: [{}, 'Expired before it could be sent.', 'free worker'],
  repeated: [{}, 'The same note was sent to the same class shortly before.', 'REPEAT_WINDOW'],
  cancelled: [{}, 'Cancelled by an operator.', 'mistake'],
};

// Of a table with exactly these keys, each with what its code carries.
const ALL = Object.entries(EXAMPLES).map(([code, [params, ...texts]]) => [
  { code, ...params } as Reason,
  ...texts,
]) as unknown as readonly (readonly [Reason, sentence: string, advice: string])[];

describe('a reason', () => {
  it.each(ALL)('%j has a sentence and advice', (reason, sentence, advice) => {
    expect(reasonText(reason)).toBe(sentence);
    expect(adviceOnReason(reason).join(' ')).toContain(advice);
  });

  it.each<readonly [Reason, string]>([
    [{ code: 'provider_rejected', status: 404 }, 'The provider rejected the message (HTTP 404).'],
    [
      { code: 'answer_unmatched', status: 200 },
      'The provider gave a response that no rule in GATEWAYS_FILE matches (HTTP 200).',
    ],
    [
      { code: 'access_token_missing', status: 400 },
      'Could not get an access token for FCM (its server answered HTTP 400).',
    ],
    [{ code: 'access_token_missing' }, 'Could not get an access token for FCM.'],
    [notSent({ code: 'expired' }, 0), '2 of 3 not sent: Expired before it could be sent.'],
    [
      notSent({ code: 'cancelled' }, 2),
      '2 of 3 not sent: Cancelled by an operator (and 2 for other reasons).',
    ],
    [notSent(null, 0), '2 of 3 not sent.'],
  ])('omits from its sentence what is not known: %j', (reason, sentence) => {
    expect(reasonText(reason)).toBe(sentence);
  });

  it('on a request mentions other reasons if there are any', () => {
    expect(adviceOnReason(notSent({ code: 'cancelled' }, 1)).join(' ')).toBe(
      `${adviceOnReason({ code: 'cancelled' }).join(' ')} Each push message below shows its own reason.`,
    );
    expect(adviceOnReason(notSent({ code: 'cancelled' }, 0)).join(' ')).toBe(
      adviceOnReason({ code: 'cancelled' }).join(' '),
    );
  });

  it('from a newer version is shown as its code', () => {
    const reason = readReason('of_tomorrow', '{"status":1}') ?? { code: 'expired' };
    expect(reasonText(reason)).toBe('of_tomorrow');
    expect(adviceOnReason(reason).join(' ')).toContain('newer version');
  });

  it('is logged as its code, with its details', () => {
    const reason = { code: 'provider_rejected', ...ANSWER } as const;
    expect(reasonFields(reason)).toEqual({ reason: 'provider_rejected', ...ANSWER });
    expect(reasonFields(null)).toEqual({});
  });

  it('is used somewhere in the program, whatever its code', () => {
    const folder = join(PACKAGE_ROOT, 'src');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('reasons.ts'))
      .map((name) => join(folder, name));
    const texts = files.map((file) => readFileSync(file, 'utf8'));
    // Parsing a source takes a thousand times as long as searching it.
    const likely = texts.filter((text) => REASON_CODES.some((code) => text.includes(`'${code}'`)));
    const written = new Set(likely.flatMap(codesIn));
    expect(REASON_CODES.filter((code) => !written.has(code))).toEqual([]);
  });
});

function notSent(first: Reason | null, others: number): Reason {
  return { code: 'pushes_not_sent', notSent: 2, pushes: 3, first, others };
}

/** The texts that objects of a source have as their `code`, whatever decides between them. */
function codesIn(text: string): readonly string[] {
  const codes: string[] = [];
  const visit = (node: ts.Node, isCode: boolean): void => {
    if (isCode && ts.isStringLiteral(node)) codes.push(node.text);
    const begins =
      (ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node)) && node.name.getText() === 'code';
    ts.forEachChild(node, (child) => {
      visit(child, isCode || begins);
    });
  };
  visit(ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true), false);
  return codes;
}

describe.each(ENGINES)('a reason in the store on %s', (engine) => {
  const database = useDatabase(engine, { per: 'block' });

  it.each(ALL)('is kept with its details, and found by its code: %j', async (reason) => {
    const { code, ...params } = reason;
    const store = await database.open();
    const message = { channel: 'push', recipient: 'D1', school: '', payload: {}, dedupeKey: null } as const;
    const id = await store.messages.enqueue({ ...message, createdAt: START, expiresAt: START + 1 });
    const claim = { owner: 'w', leaseUntil: START + 1, now: START };
    await store.outbox.claim({ ...claim, channel: 'push', limit: 1 });
    await store.outbox.settle({
      ...{ ...claim, id, state: 'failed', nextAttemptAt: START, attempted: true, erase: false },
      ...{ providerId: null, reason },
      attempt: {
        ...{ at: START, provider: 'fcm', outcome: 'refused', status: null, reason },
        ...{ milliseconds: 1, parts: null },
      },
    });
    expect(await store.deliveries.list({ reason: code }, 9)).toMatchObject([{ id, reason }]);
    expect((await store.deliveries.listAttempts(id))[0]?.reason).toEqual(reason);
    const { kysely } = database.engine().direct;
    const row = await kysely
      .selectFrom('messages')
      .select(['reason', 'reason_params'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row.reason).toBe(code);
    expect(row.reason_params === null ? {} : JSON.parse(row.reason_params)).toEqual(params);
    expect(row.reason_params).not.toBe('{}');
    await store.close();
  });
});
