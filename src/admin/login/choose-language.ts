import type { RequestHandler } from 'express';

import { languageCookie } from '../texts/words';
import { pathWithin } from './path-within';

/** Remembers the language that a link names, and returns to the page with the link. */
export const chooseLanguage: RequestHandler = (request, response) => {
  const { to, back } = request.query;
  const cookie = languageCookie(to);
  if (cookie !== undefined) response.set('Set-Cookie', cookie);
  const wanted = typeof back === 'string' ? back : '/';
  const isLogIn = /^\/login(?:\?to=[^?&]*)?$/.test(wanted);
  response.set('Cache-Control', 'no-store');
  response.redirect(303, isLogIn ? wanted : pathWithin(wanted));
};
