import { adviceOn } from '../../../src/admin/reports/message-facts';
import { readPresets } from '../../../src/delivery/gateways/presets';
import { HOLD_DESCRIPTIONS, HOLD_ENDED, HOLD_TEXTS } from '../../../src/admin/alerts/hold-rules';
import { reasonWithTimes } from '../../../src/admin/reports/waiting-text';
import { DELIVERY_RULES, FAILED_CODES, TRIAL } from '../../../src/admin/alerts/delivery-rules';
import { MACHINE_RULES } from '../../../src/admin/alerts/machine-rules';
import { alertFor, isChecked } from '../../../src/admin/alerts/rule';
import { REQUEST_RULES } from '../../../src/admin/alerts/request-rules';
import { Words } from '../../../src/admin/texts/words';
import { FEATURE_ACTION_LOG, featureTranslations } from '../../../src/features/feature';
import {
  adviceOnReason,
  type HoldCause,
  holdSentence,
  NO_HOLDS,
  MESSAGE_STATES,
  type Reason,
  REASON_CODES,
  reasonSentence,
  refusalSentence,
} from '../../../src/store';
import type { RefusalReason } from '../../../src/store/outbox/refusals';
import { failMessages } from '../../admin/console/fail-messages';
import { exampleFeatures, readFeaturePages } from '../../admin/console/feature-pages';
import { useConsole } from '../../admin/console/use-console';

const TURKISH_FIRST = { 'Accept-Language': 'tr-TR,tr;q=0.9,en;q=0.8' };
const words = new Words('tr', 'Europe/Istanbul');

describe('Turkish', () => {
  it('formats numbers and times for its readers', () => {
    expect(words.number(1234.5)).toBe('1.234,5');
    expect(words.of(Date.parse('2026-11-23T05:04:03Z'))).toBe('23.11.2026 08:04:03');
  });

  it.each(REASON_CODES)('translates the reason %s and its advice', (code) => {
    const reason = {
      ...{ code, status: 400, detail: '30', meaning: 'Kara liste', gateway: 'netgsm', error: 'ECONNRESET' },
      ...{ missing: 'class', notSent: 1200, pushes: 1500, first: { code: 'expired' }, others: 2 },
    } as unknown as Reason;
    expect(words.said(reasonSentence(reason))).not.toMatch(ENGLISH);
    for (const sentence of adviceOnReason(reason)) expect(words.said(sentence)).not.toMatch(ENGLISH);
  });

  it('translates the meanings of each gateway’s codes', () => {
    const meanings = JSON.stringify(readPresets()).matchAll(/"meaning":"([^"]+)"/g);
    const missing = [...meanings].flatMap(([, meaning = '']) =>
      words.line(meaning) === undefined ? [meaning] : [],
    );
    expect(missing).toEqual([]);
  });

  it('keeps the values in a reason, and translates a value that is itself a reason', () => {
    const first = {
      code: 'account_stopped',
      status: 200,
      detail: '30',
      meaning: 'x',
      gateway: 'netgsm',
    } as const;
    const reason = { code: 'pushes_not_sent', notSent: 12, pushes: 1500, first, others: 1 } as const;
    expect(words.said(reasonSentence(reason))).toBe(
      '1.500 mesajdan 12’si gönderilmedi: netgsm hesabımızı reddediyor (HTTP 200, kod 30: x) (1’i başka bir nedenle).',
    );
  });

  it.each(['cool_down', 'ten_minutes', 'day', 'overall', 'unusual', 'country', 'premium'] as RefusalReason[])(
    'translates the refusal of a code by %s',
    (reason) => {
      expect(words.said(refusalSentence({ reason, bound: 5 }))).not.toMatch(ENGLISH);
    },
  );

  it.each([...DELIVERY_RULES, ...MACHINE_RULES, ...REQUEST_RULES].filter(isChecked))(
    'translates the alert $name',
    (rule) => {
      for (const text of [rule.summary, rule.description, rule.advice, rule.link?.[1] ?? 'Settings'])
        expect([text, words.said(text)]).not.toEqual([text, text]);
    },
  );

  const causes = Object.keys(HOLD_TEXTS) as HoldCause[];
  it.each(causes)('translates what is said of the hold %s', (cause) => {
    const hold = { cause, channel: 'sms', gateway: 'okulsms', since: 0, reason: null } as const;
    const sentences = [null, 60_000].map((until) =>
      holdSentence({ ...hold, until }, (time) => words.minuteOf(time, 0)),
    );
    const held = { cause, gateway: 'okulsms', since: 0 };
    const expired = { code: 'expired', held } as const;
    const said = [
      ...sentences,
      ...Object.values(HOLD_TEXTS[cause]),
      reasonSentence(expired),
      ...adviceOnReason(expired),
      ...[NO_HOLDS, { ...NO_HOLDS, holds: [{ ...hold, until: null }] }].map((holds) =>
        reasonWithTimes(expired, { holds, now: 0 }, words),
      ),
    ];
    for (const sentence of said) expect(words.said(sentence)).not.toMatch(ENGLISH);
  });

  const texts = [HOLD_DESCRIPTIONS, FAILED_CODES, TRIAL].flatMap((each) => Object.values(each));
  it.each([...texts, HOLD_ENDED.summary])('translates the text of an alert: %s', (text) => {
    expect(words.said(text)).not.toBe(text);
  });

  it('formats the values in an alert for its readers', () => {
    const [rule] = DELIVERY_RULES.filter(isChecked).filter(({ name }) => name === 'SendingStopped');
    const alert =
      rule &&
      alertFor(rule, {
        labels: { channel: 'push' },
        value: { text: '{n} h {m} min', values: { n: 1200, m: 5 } },
      });
    expect(alert && words.said(alert.summary)).toBe('Hiçbir şey gönderilmiyor (anlık bildirim)');
    expect(alert && words.said(alert.description)).toContain('1.200 sa 5 dk');
  });

  it.each(MESSAGE_STATES)('translates the state %s and its meaning', (state) => {
    expect(words.said(state)).not.toBe(state);
    for (const channel of ['sms', 'push', 'mark'] as const)
      for (const more of [
        {},
        { providerId: 'x', receipt: 'undelivered', receiptAt: 5, receiptCode: '9' },
        { providerId: 'x', receipt: 'delivered', receiptAt: 5 },
        { providerId: 'x', receipt: 'delivered', receiptAt: 5, isReceiptExact: true },
      ]) {
        const message = {
          channel,
          state,
          reason: null,
          nextAttemptAt: 0,
          expiresAt: 0,
          updatedAt: 0,
          attempts: 1,
        };
        const whole = { ...message, providerId: null, receipt: null, receiptAt: null, ...more } as never;
        for (const sentence of adviceOn(whole, { now: 1, holds: NO_HOLDS }, words))
          expect(words.said(sentence)).not.toMatch(ENGLISH);
      }
  });
});

/** Words that no Turkish sentence of the console has. */
const ENGLISH = /\b(?:the|is|was|not|of|and|to|for|could|by|with|has)\b/i;

describe('the pages in Turkish', () => {
  const console = useConsole('sqlite', {}, exampleFeatures());
  const page = async (path: string): Promise<string> =>
    (await fetch(console.origin + path, { headers: TURKISH_FIRST })).text();

  let paths: readonly string[] = [];
  beforeAll(async () => {
    const { now, store } = console;
    const enqueue = (channel: 'sms' | 'push', recipient: string) =>
      store.messages.enqueue({
        ...{ channel, recipient, school: '', payload: { code: '1' }, dedupeKey: null },
        ...{ createdAt: now - 1000, expiresAt: now + 300_000 },
      });
    const id = await enqueue('sms', '+905551230099');
    const reason = { code: 'account_stopped', status: 200, detail: '30', gateway: 'netgsm' } as const;
    await failMessages(store, { channel: 'sms', now, reason });
    await enqueue('push', 'DEV-1');
    await store.write(({ refusals }) =>
      refusals.record([
        {
          ...{ phone: '+905551230099', reason: 'ten_minutes', bound: 5, times: 3 },
          ...{ firstAt: now - 60_000, lastAt: now - 30_000 },
        },
      ]),
    );
    await FEATURE_ACTION_LOG?.record(store, { at: now, who: 'anna', action: 'log-in', detail: {} });
    await store.stats.add(
      [
        { at: now - 60_000, figure: 'requests', labels: ['AuthCode', 'get', 'client_error'], count: 1 },
        { at: now - 60_000, figure: 'settled', labels: ['sms', 'failed'], count: 1 },
        { at: now - 60_000, figure: 'sent', labels: ['sms', '1'], count: 1 },
      ],
      [],
      now,
    );
    const number = (await console.post('/find', { text: '05551230099' })).headers.get('location') ?? '';
    paths = [
      ...['/', '/messages', '/messages?state=queued&newer-than=2026-01-01T00:00Z', `/messages/${id}`, number],
      ...['/requests', '/schools', '/callers', '/settings', '/nowhere'],
      ...readFeaturePages().flatMap(({ pages }) => pages('x').map(([path]) => path)),
    ];
  });

  it('show no untranslated text', async () => {
    const catalogue = featureTranslations('tr', 'texts');
    const english = new Set(Object.keys(catalogue).filter((text) => catalogue[text] !== text));
    for (const path of paths) {
      const html = await page(path);
      expect(html).toContain('<html lang="tr">');
      // Values of settings are no texts.
      const texts = html
        .replace(
          /<head>.*<\/head>|<(code|textarea)[^>]*>.*?<\/\1>|<footer.*<\/footer>|<td[^>]*>\w+<\/td><\/tr>/gs,
          '',
        )
        .split(/<[^>]*>/)
        .map((text) => text.trim());
      const labels = [...html.matchAll(/ (?:aria-label|placeholder|title)="([^"]*)"/g)].map(
        ([, text]) => text,
      );
      expect([path, [...texts, ...labels].filter((text) => english.has(text ?? ''))]).toEqual([path, []]);
    }
  });

  it.each([
    ['/messages?newer-than=long', '“long” geçerli bir yaş ya da zaman değil.'],
    ['/messages?state=lost', 'Bilinmeyen durum: “lost”.'],
    ['/messages?phone=x', 'Hizmet yeniden başladığı için'],
    ['/requests?from=now', '“now” geçerli bir zaman değil.'],
    ['/requests?from=2026-01-02T00:00Z&to=2026-01-01T00:00Z', 'İlk zaman ikincisinden önce olmalı'],
  ])('explain what is wrong with %s', async (path, text) => {
    const main = /<main[^>]*>(.*)<\/main>/s.exec(await page(path))?.[1] ?? '';
    const [, alert = ''] = /role="alert">([^<]*)</.exec(main) ?? [];
    expect(alert).toContain(text);
    expect(alert).not.toMatch(ENGLISH);
  });

  it('name the channels of a plot in Turkish', async () => {
    const sent = (channel: string) =>
      ({ at: console.now - 60_000, figure: 'sent', labels: [channel, '2'], count: 1 }) as const;
    await console.store.stats.add([sent('push')], [], console.now);
    expect(await page('/?span=1h&view=times')).not.toMatch(/>push /);
  });

  it('say what is in English: messages of the log', async () => {
    expect(await page('/settings')).not.toContain('<span lang="en">');
    expect(await page('/settings')).toContain('</strong> SMS gönderilmiyor (SMS_CHANNEL=file)');
  });

  it('answer a helpdesk question in a sentence', async () => {
    expect(await page(paths[4] ?? '')).toContain('netgsm hesabımızı reddediyor (HTTP 200, kod 30)');
    expect(await page(paths[4] ?? '')).toContain('10 dakikada 5 koddan fazla istendi (');
  });
});
