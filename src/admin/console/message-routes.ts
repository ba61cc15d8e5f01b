import { urlencoded } from 'body-parser';
import express, { type Request, type Response, type Router } from 'express';

import { html, type Html, NOTHING } from '../../support/html';
import type { Config } from '../../config';
import type { RecentMessages, Store } from '../../store';
import { maskPhone } from '../../support/masks';
import type { Sentence } from '../../support/phrase';
import { readPhone } from '../../support/phones';
import { FormError, defaultAge, readAge } from '../reports/message-filter';
import { TimeText } from '../reports/time-text';
import { livePart, sendPage, findViewer, wordsFor } from './console-page';
import type { ConsolePart } from './console-part';
import type { LiveStreams } from './live';
import { sendCsv } from './message-csv';
import {
  addressTexts,
  type AddressTexts,
  type SelectedMessages,
  selectMessages,
  type Fields,
  fieldText,
  isFiltered,
  toNaming,
  queryText,
  SealedTexts,
} from './message-address';
import {
  type Action,
  ACTIONS,
  canChangeSome,
  change,
  confirmPage,
  confirmTitle,
  planChange,
} from './message-changes';
import { answersPart, answersTo } from './search';
import { readStory, storyActions, storyPart } from './message-page';
import { filterForm, formWindow } from './filter-form';
import { listActions, messageList, PAGE_LENGTH } from './messages-page';
import { readPhoneStory } from './timeline';
import type { Text, Words } from '../texts/words';
import type { AdminUsers } from '../login/admin-login';
import type { Permission } from '../login/users-file';

const FORM_BYTES = 16 * 1024;
const LIST_PART = 'list';
const STORY_PART = 'story';

interface MessageRoutes {
  readonly store: Store;
  readonly country: Config['DEFAULT_COUNTRY'];
  readonly users: AdminUsers;
  readonly live: LiveStreams;
  readonly liveEveryMs: number;
  readonly now: () => number;
  readonly parts: readonly Pick<ConsolePart, 'find'>[];
  /** Reads what became of the last messages; undefined while the store does not answer. */
  readonly recent: (now: number) => Promise<RecentMessages | undefined>;
}

/** Holds what the routes share. */
interface Shared extends MessageRoutes {
  readonly sealed: SealedTexts;
  /** Handlers before those that take a form. */
  readonly form: ReturnType<typeof pageForm>;
  /** Returns the messages that an address selects. @throws FormError */
  readonly select: (texts: AddressTexts) => SelectedMessages;
}

/** Creates the routes for finding, viewing and changing messages. */
export function messageRoutes(options: MessageRoutes): Router {
  const { store, country, users, now } = options;
  const sealed = new SealedTexts();
  const shared: Shared = {
    ...options,
    sealed,
    form: pageForm(users),
    select: (texts) => selectMessages(texts, { sealed, country, keyForm: store.keyForm, now: now() }),
  };
  const router = express.Router();
  addListRoutes(router, shared);
  addFindRoutes(router, shared);
  addExportRoute(router, shared);
  addChangeRoutes(router, shared);
  // Last, since any word may be an id.
  addStoryRoutes(router, shared);
  return router;
}

/** The messages of an address as a list. */
interface ListedMessages {
  readonly selected: SelectedMessages;
  readonly list: Html;
  readonly isEmpty: boolean;
  readonly isOffered: (action: Action) => boolean;
}

async function listMessages(
  { store, select, recent, now }: Shared,
  query: Fields,
  words: Words,
): Promise<ListedMessages> {
  const texts = addressTexts(query);
  const selected = select(texts);
  const start = { before: fieldText(query['before']), after: fieldText(query['after']) };
  const page = await store.deliveries.page(selected.filter, PAGE_LENGTH, start);
  const { filter } = selected;
  const story =
    filter.phone === undefined
      ? undefined
      : await readPhoneStory(store, filter, page, start, await recent(now()), now());
  const moment = { now: now(), holds: story?.holds ?? (await store.workers.holds(now())) };
  const list = messageList({ texts, asked: selected, page, start, story, words, moment });
  const isWhole = page.next === undefined && start.before === undefined && start.after === undefined;
  return {
    ...{ selected, list, isEmpty: page.messages.length === 0 },
    // Another page may have messages for it.
    isOffered: (action) => !isWhole || canChangeSome(action, page.messages, moment.now),
  };
}

function addListRoutes(router: Router, shared: Shared): void {
  const { users, live, liveEveryMs, now } = shared;
  router.get('/messages', async (request, response) => {
    const viewer = findViewer(users, response);
    const texts = addressTexts(request.query);
    const { words } = viewer;
    const page = { title: words.t('Messages'), section: '/messages' } as const;
    try {
      const { selected, list, isEmpty, isOffered } = await listMessages(shared, request.query, words);
      sendPage(response, viewer, {
        ...page,
        content: html`<h1>\
${
  selected.phone === undefined
    ? words.t('Messages')
    : words.t('Codes for {number}', { number: maskPhone(selected.phone) })
}</h1>
${doneText(request, words)}${filterForm(texts, selected.phone, { token: viewer.token, words, now: now() })}\
${livePart(LIST_PART, list)}${isEmpty ? NOTHING : listActions(texts, viewer, isOffered)}`,
        live: `/live${request.url}`,
      });
    } catch (error) {
      if (!(error instanceof FormError)) throw error;
      sendPage(response, viewer, {
        ...page,
        status: 400,
        content: html`<h1>${words.t('Messages')}</h1>
<p class="bad" role="alert">${words.said(error.sentence)}</p>
${filterForm({ ...texts, phone: undefined }, undefined, { token: viewer.token, words, now: now() })}`,
      });
    }
  });
  router.get('/live/messages', (request, response) =>
    live.serve(request, response, [
      {
        id: LIST_PART,
        everyMs: liveEveryMs,
        render: async () => (await listMessages(shared, request.query, wordsFor(response))).list,
      },
    ]),
  );
}

function addFindRoutes(router: Router, { store, country, users, parts, sealed, form }: Shared): void {
  // A number is passed on in the address sealed, readable by this process only.
  router.post('/messages/find', ...form, requireRole(users, 'search'), (request, response) => {
    const fields = readFields(request);
    const number = fieldText(fields['number']);
    const texts = { ...addressTexts(fields), ...formWindow(fields, wordsFor(response)) };
    const phone = number === undefined ? texts.phone : sealed.seal(readPhone(number, country) ?? number);
    response.redirect(303, `/messages${queryText({ ...texts, ...(phone !== undefined && { phone }) })}`);
  });

  router.post('/find', ...form, requireRole(users, 'search'), async (request, response) => {
    const text = fieldText(readFields(request)['text']);
    const answers =
      text === undefined
        ? []
        : await answersTo(text, { store, country, sealed, parts, viewer: findViewer(users, response) });
    const [only, ...others] = answers;
    if (only !== undefined && others.length === 0) response.redirect(303, only.address);
    else
      sendPage(response, findViewer(users, response), {
        title: wordsFor(response).t('Search'),
        section: '/messages',
        status: only === undefined ? 404 : 200,
        content: answersPart(answers, wordsFor(response)),
      });
  });
}

function addExportRoute(router: Router, { store, users, select, now }: Shared): void {
  router.get('/messages.csv', requireRole(users, 'export'), async (request, response) => {
    const texts = addressTexts(request.query);
    const { filter, phone } = select(texts);
    await users.record(response, 'export', { what: 'messages', ...recordedFields(texts, phone) });
    const moment = { now: now(), holds: await store.workers.holds(now()) };
    // The language of the export is that of the commands.
    const time = new TimeText(wordsFor(response).zone);
    await sendCsv(response, store, { filter, moment, time });
  });
}

/** Adds the two steps of a change: what it would do, and the change. */
function addChangeRoutes(router: Router, { store, users, form, select, now }: Shared): void {
  router.post('/messages/confirm', ...form, requireRole(users), async (request, response) => {
    const action = readAction(request);
    const moment = now();
    const shown = addressTexts(readFields(request));
    requireFilter(shown);
    const texts = fixed(shown, moment);
    const plan = await planChange(store, action, select(texts).filter, moment);
    const viewer = findViewer(users, response);
    sendPage(response, viewer, {
      title: confirmTitle(action, viewer.words),
      section: '/messages',
      content: confirmPage(action, plan, { texts, shown }, viewer),
    });
  });

  router.post('/messages/change', ...form, requireRole(users), async (request, response) => {
    const action = readAction(request);
    const texts = addressTexts(readFields(request));
    requireFilter(texts);
    const { filter, phone } = select(texts);
    const again = fieldText(readFields(request)['again']) !== undefined;
    const messages = await change(store, action, filter, now(), again);
    await users.record(response, action, { messages, ...recordedFields(texts, phone) });
    const { id, ...others } = texts;
    const done = { done: action, messages: String(messages) };
    const path = id === undefined ? '/messages' : `/messages/${encodeURIComponent(id)}`;
    response.redirect(303, `${path}${queryText(id === undefined ? others : {}, done)}`);
  });
}

function addStoryRoutes(router: Router, { store, users, live, liveEveryMs, now }: Shared): void {
  router.get('/messages/:id', async (request, response, next) => {
    const id = fieldText(request.params.id) ?? '';
    const story = await readStory(store, id, now());
    if (story === undefined) {
      next();
      return;
    }
    const viewer = findViewer(users, response);
    const { words } = viewer;
    sendPage(response, viewer, {
      title: words.t('Message {id}', { id }),
      section: '/messages',
      content: html`<h1>${words.t('Message')}</h1>
${doneText(request, words)}${livePart(STORY_PART, storyPart(story, words))}\
${storyActions(story.message, viewer, now())}`,
      live: `/live/messages/${encodeURIComponent(id)}`,
    });
  });

  router.get('/live/messages/:id', (request, response) =>
    live.serve(request, response, [
      {
        id: STORY_PART,
        everyMs: liveEveryMs,
        render: async () => {
          const words = wordsFor(response);
          const story = await readStory(store, fieldText(request.params.id) ?? '', now());
          return story === undefined
            ? html`<p>${words.t('This message has been removed.')}</p>`
            : storyPart(story, words);
        },
      },
    ]),
  );
}

/** Fields of an address that are sealed, or only a time. */
const NOT_RECORDED: readonly string[] = ['phone', 'newer-than', 'older-than'];

/** Returns the filter of an action for its record, with a masked number. */
function recordedFields(texts: AddressTexts, phone: string | undefined): Readonly<Record<string, string>> {
  const named = Object.entries(texts).filter(
    (field): field is [string, string] => field[1] !== undefined && !NOT_RECORDED.includes(field[0]),
  );
  return { ...Object.fromEntries(named), ...(phone !== undefined && { phone: maskPhone(phone) }) };
}

/**
 * Fixes the time range to the one that was counted, so that the change leaves out messages that have arrived
 * or reached the requested age since.
 */
function fixed(texts: AddressTexts, now: number): AddressTexts {
  if (texts.id !== undefined) return texts;
  const momentOf = (text: string | undefined): string | undefined => {
    const age = text === undefined ? undefined : readAge(text);
    return age === undefined ? text : new Date(now - age).toISOString();
  };
  return {
    ...texts,
    'newer-than': momentOf(defaultAge(toNaming(texts))),
    'older-than': momentOf(texts['older-than']) ?? new Date(now + 1).toISOString(),
  };
}

/** @throws FormError where a change would mean all messages of a time */
function requireFilter(texts: AddressTexts): void {
  if (!isFiltered(texts)) throw new FormError('Filter the messages before you retry or cancel them.');
}

function doneText(request: Request, words: Words) {
  const action = ACTIONS.find((each) => each === request.query['done']);
  const messages = Number(fieldText(request.query['messages']));
  if (action === undefined || !Number.isSafeInteger(messages)) return NOTHING;
  const done =
    action === 'retry'
      ? words.count(messages, '{n} message queued again.', '{n} messages queued again.')
      : words.count(messages, '{n} message cancelled.', '{n} messages cancelled.');
  return html`<p class="good" role="status">${done}</p>\n`;
}

function readAction(request: Request): Action {
  const action = ACTIONS.find((each) => each === readFields(request)['action']);
  if (action === undefined) throw new FormError('Invalid request.');
  return action;
}

export function readFields(request: Request): Fields {
  // The form parser sets the body; it does not without a form.
  return (request.body ?? {}) as Fields;
}

/** Reads a form, and accepts it only from a page shown to this admin user. */
export function pageForm(users: AdminUsers) {
  const requireToken = (request: Request, response: Response, next: () => void): void => {
    const token = fieldText(readFields(request)['token']) ?? '';
    if (users.isPageToken(response, token)) next();
    else refuse(response, users, 'This form is out of date. Reload the page and submit it again.');
  };
  return [urlencoded({ extended: false, limit: FORM_BYTES }), requireToken];
}

/** Accepts only users whose role permits an action, by default the one that the form names. */
export function requireRole(users: AdminUsers, fixed?: Permission) {
  return (request: Request, response: Response, next: () => void): void => {
    const { role, may } = findViewer(users, response);
    const action = fixed ?? readAction(request);
    if (may(action)) next();
    else
      refuse(response, users, {
        text: 'Your role ({role}) does not permit this: {action}.',
        values: { role: { text: role }, action: { text: action } },
      });
  };
}

function refuse(response: Response, users: AdminUsers, sentence: Sentence<Text>): void {
  const viewer = findViewer(users, response);
  const title = viewer.words.t('Not allowed');
  sendPage(response, viewer, {
    title,
    section: '/messages',
    status: 403,
    content: html`<h1>${title}</h1>\n<p role="alert">${viewer.words.said(sentence)}</p>`,
  });
}
