// node main.mjs [port]: serves the obedient model until it is stopped.

import { obedient } from "./obedient.mjs";
import { startModelServer } from "./server.mjs";

const { url } = await startModelServer(obedient, { port: Number(process.argv[2] ?? 8788) });
console.log(`A model that does what it is told, at ${url}
  Anthropic   base URL ${url}      POST /v1/messages
  OpenAI      base URL ${url}/v1   POST /v1/chat/completions, /v1/responses
Any key and any model name will do.`);
