import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

import { serve } from './serve';

/** Shows what any server on Node costs at least: it reads the request, and answers the same bytes to all. */
const body = readFileSync(process.env['ANSWER_FILE'] ?? '');
const headers = { 'Content-Type': process.env['ANSWER_TYPE'], 'Content-Length': body.length };

serve(
  createServer((request, response) => {
    request.on('data', () => undefined);
    request.on('end', () => {
      response.writeHead(200, headers);
      response.end(body);
    });
  }),
);
