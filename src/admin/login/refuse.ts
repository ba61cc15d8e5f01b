import type { Response } from 'express';

/** Answers with a line of text. */
export function refuse(response: Response, status: number, text: string): void {
  response.status(status).set('Cache-Control', 'no-store').type('text/plain').send(`${text}\n`);
}
