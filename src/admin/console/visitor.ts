import type { Response } from 'express';

/** Who looks at a page. */
export interface Visitor {
  /** Undefined where nobody has to log in. */
  readonly name: string | undefined;
  readonly role: 'viewer' | 'operator';
  readonly canLogOut: boolean;
}

/** What the pages ask of whoever lets visitors in. */
export interface Visitors {
  visitorOf(response: Response): Visitor;
  /** For the hidden field `token` of the visitor's forms. */
  pageToken(response: Response): string;
  /** Whether a form is of a page that this visitor was shown. */
  isPageToken(response: Response, token: string): boolean;
  /** Writes one line: who did what, to how many. */
  audit(response: Response, action: string, fields: Readonly<Record<string, string | number>>): void;
}

/** What a page knows of who looks at it. */
export interface Seen extends Visitor {
  readonly token: string;
  readonly mayChange: boolean;
}

/** Who looks at the page that a response is to be. */
export function seenBy(visitors: Visitors, response: Response): Seen {
  const visitor = visitors.visitorOf(response);
  return { ...visitor, token: visitors.pageToken(response), mayChange: visitor.role === 'operator' };
}
