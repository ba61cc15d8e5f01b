import type { Router } from 'express';
import type { Logger } from 'pino';

import type { Content, Html } from '../../support/html';
import type { Config, Reloadable } from '../../config';
import type { Store } from '../../store';
import type { Node } from '../history/nodes';
import type { AdminUsers } from '../login/admin-login';
import type { Text, Words } from '../texts/words';
import type { Asset } from './assets';
import type { NavigationEntry, PageViewer } from './console-page';
import type { LiveStreams } from './live';
import type { Fields } from './message-address';
import type { FoundRecord } from './record-address';

/** Describes what the console gives to a feature for its part. */
export interface ConsoleCore {
  readonly store: Store;
  readonly config: Config;
  readonly users: AdminUsers;
  readonly logger: Logger;
  readonly node: Node;
  readonly live: LiveStreams;
  /** Interval at which an open page is checked for changes, in milliseconds. */
  readonly liveEveryMs: number;
  /** Time for which a page waits for what takes long to count, in milliseconds. */
  readonly soonMs: number;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/** Describes what a feature adds to the console. */
export interface ConsolePart {
  /** Pages in the navigation, by their addresses. */
  readonly sections?: Readonly<Record<string, Text>>;
  /** Pages at the end of the navigation, for users who may do something, by their addresses. */
  readonly restricted?: Readonly<Record<string, NavigationEntry>>;
  readonly routes?: Router;
  readonly overview?: OverviewPart;
  /** Style sheets and scripts of every page, by their names in addresses. */
  readonly assets?: Readonly<Record<string, Asset>>;
  readonly reloadables?: readonly Reloadable[];
  /** Starts what runs without a viewer. */
  readonly start?: () => void;
  readonly stop?: () => Promise<void>;
  /** Stands above the list of schools. */
  readonly aboveSchools?: (viewer: PageViewer) => Html;
  /** Stands below the list of schools. */
  readonly belowSchools?: (words: Words) => Promise<Html>;
  /**
   * Finds pages by names of people and schools, for users who may see them; called for a text that is no id.
   */
  readonly find?: (text: string, words: Words) => Promise<readonly FoundRecord[]>;
  /** A fact about each school. */
  readonly schoolFact?: (words: Words) => Promise<SchoolFact>;
}

/** A part of the overview, which the page's stream updates. */
export interface OverviewPart {
  /** Unique in the page. */
  readonly id: string;
  readonly title: Text;
  /** Stands between the title and the content, and is not updated. */
  readonly head: (query: Fields, words: Words) => Html;
  readonly content: (query: Fields, words: Words) => Promise<Html>;
  /** Returns the fields of the page's address on which the content depends. */
  readonly liveQuery: (query: Fields) => Readonly<Record<string, string>>;
  /** Returns the interval of updates, in milliseconds. */
  readonly everyMs: (query: Fields) => number;
}

/** A column of the list of schools, and a row of the details of a school. */
export interface SchoolFact {
  readonly name: Text;
  /** True if the list aligns it as a number. */
  readonly isNumber: boolean;
  readonly inList: (url: string) => Content | number;
  readonly inDetails: (url: string) => Content;
}
