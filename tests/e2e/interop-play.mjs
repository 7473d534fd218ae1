// Plays the vectors of the remote protocol against the package, in whatever realm this is loaded: a page or Node. `I` is the
// entry `/interop`, initialised. It judges nothing but by the vectors: each function answers with what differs.

const same = (left, right) => JSON.stringify(sorted(left)) === JSON.stringify(sorted(right));

const sorted = (value) => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .map(([key, member]) => [key, sorted(member)])
    .sort(([left], [right]) => (left < right ? -1 : 1));
};

/** Collects what differs, and counts what was compared. */
const judge = () => {
  const failures = [];
  let compared = 0;
  return {
    report: () => ({ compared, failures }),
    equal(found, expected, about) {
      compared++;
      if (!same(found, expected)) failures.push(`${about}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
    },
    refuses(result, { errorName, message }, about) {
      compared++;
      const { error } = result;
      // What a port throws is its own; what the protocol throws names the class.
      const name = error?.type ?? error?.name;
      if (!error) failures.push(`${about}: ${JSON.stringify(result.value)}, not an error`);
      else if (name !== errorName || (message !== undefined && error.message !== message)) {
        failures.push(`${about}: ${name} ${error.message}, not ${errorName} ${message}`);
      } else if (error.type !== undefined && error.code === undefined) failures.push(`${about}: no code`);
    },
  };
};

const attempt = async (act) => {
  try {
    return { value: await act() };
  } catch (error) {
    return { error };
  }
};

const bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** Ports for signatures from the vectors' keys: `(signer) => authenticity`. */
const keysOf = async (I, keys) => {
  const own = new Map();
  for (const [owner, key] of Object.entries(keys ?? {})) {
    const of = (form, text, usage) => crypto.subtle.importKey(form, bytesOf(text), { name: "Ed25519" }, false, [usage]);
    own.set(owner, {
      privateKey: await of("pkcs8", key.pkcs8DerBase64, "sign"),
      publicKey: await of("spki", key.spkiDerBase64, "verify"),
    });
  }
  return {
    has: (id) => own.has(id),
    port: (localSignerId) =>
      new I.WebCryptoAuthenticity({
        localSignerId,
        privateKey: own.get(localSignerId)?.privateKey,
        resolve: (id) => own.get(id)?.publicKey,
      }),
  };
};

const ACCEPTS = {
  any: () => true,
  none: () => false,
  object: (payload) => typeof payload === "object" && payload !== null && !Array.isArray(payload),
  requiresTrue: (payload, key) => payload?.[key] === true,
  requiresKey: (payload, key) => Object.hasOwn(payload ?? {}, key),
};

/** A resolver of scripted schemas. */
const schemasOf = (manifest, input, output) => ({
  resolve(schemaDigest) {
    const { mode, key } = (schemaDigest === manifest.inputSchemaDigest ? input : undefined) ?? output;
    if (mode === "unavailable") return undefined;
    return { schemaDigest, validate: async ({ payload }) => ACCEPTS[mode](payload, key) };
  },
});

const ANY = { mode: "any" };
const anything = { resolve: (schemaDigest) => ({ schemaDigest, validate: () => true }) };

export const playCanonical = (I, file) => {
  const found = judge();
  for (const { id, jsonText, canonical, digests } of file.accept) {
    // A host's value cannot say what a duplicate key hides; the text can, through an envelope. Here it is the value.
    const value = JSON.parse(jsonText);
    found.equal(I.canonicalJson(value), canonical, id);
    for (const [domain, digest] of Object.entries(digests)) found.equal(I.interopDigest(domain, value), digest, `${id} ${domain}`);
  }
  for (const { id, jsonText, errorName, message } of file.reject) {
    let result;
    try {
      result = { value: I.canonicalJson(JSON.parse(jsonText)) };
    } catch (error) {
      result = { error };
    }
    found.refuses(result, { errorName, message: result.error?.code && message }, id);
  }
  const extended = Object.assign([1], { more: 1 });
  const shared = {};
  const host = {
    undefined: undefined,
    "undefined-property": { a: undefined },
    symbol: Symbol("s"),
    bigint: 1n,
    Infinity: Infinity,
    Map: new Map(),
    "class-instance": new (class {})(),
    "inherited-prototype": Object.create({ a: 1 }),
    "array-extra-property": extended,
    "shared-reference": [shared, shared],
    "accessor-property": { get a() { return 1; } },
    "non-enumerable-property": Object.defineProperty({}, "a", { value: 1 }),
    Uint8Array: new Uint8Array(1),
  };
  for (const expected of file.hostValueRejects) {
    let result;
    try {
      result = { value: I.canonicalJson(host[expected.id]) };
    } catch (error) {
      result = { error };
    }
    found.refuses(result, expected, expected.id);
  }
  return found.report();
};

export const playManifests = async (I, file) => {
  const found = judge();
  for (const { id, body, manifest } of file.accept) {
    found.equal(I.createInteropManifest(body), manifest, id);
    found.equal(I.readInteropManifest(JSON.stringify(manifest)), manifest, id);
  }
  for (const { id, wireManifest, rebuilt } of file.lenientAccept) found.equal(I.readInteropManifest(wireManifest), rebuilt, id);
  for (const { id, wireManifest, ...expected } of file.reject) {
    found.refuses(await attempt(() => I.readInteropManifest(wireManifest)), expected, id);
    // So does a client that negotiates.
    const client = new I.InteropClient({ clientId: "c:1", schemas: anything, transport: { manifest: () => wireManifest, exchange: () => null } });
    found.refuses(await attempt(() => client.manifest()), expected, `${id}, by a client`);
  }
  return found.report();
};

/** A router whose only handler says always the same. */
const constant = async (I, { manifest, outcome, keys = {}, admit = () => true }) => {
  const made = await keysOf(I, keys);
  const handlers = Object.fromEntries(manifest.operations.map((operation) => [operation, () => outcome]));
  return new I.InteropEndpointRouter({
    routerInstanceId: "router:constant",
    manifest,
    handlers,
    admission: { admit },
    schemas: anything,
    authenticity: made.has(manifest.endpointId) ? made.port(manifest.endpointId) : undefined,
    localOnly: true,
  });
};

const wireOf = (given, name) => given[`${name}Text`] ?? given[name];

export const playEnvelopes = async (I, file) => {
  const found = judge();
  const keys = await keysOf(I, file.keys);
  const clientOf = (clientId, manifest, exchange, schemas = anything) =>
    new I.InteropClient({ clientId, schemas, authenticity: keys.port(clientId), transport: { manifest: () => manifest, exchange } });
  for (const each of file.requests) {
    for (const form of ["unsigned", "signed"]) {
      const sent = [];
      const client = clientOf(each.issuerId, file.manifests[form], (text) => {
        sent.push(text);
        throw new Error("nobody answers");
      });
      const result = await attempt(() => client.invoke(each.input));
      found.refuses(result, { errorName: "Error", message: "nobody answers" }, each.id);
      found.equal(sent, [I.canonicalJson(each[form])], `${each.id} ${form}`);
    }
  }
  for (const each of file.responses) {
    const request = file.requests.find(({ id }) => id === each.forRequest);
    for (const form of ["unsigned", "signed"]) {
      const manifest = file.manifests[form];
      const router = await constant(I, { manifest, outcome: each.input, keys: file.keys });
      const response = await router.handle(request[form], { logicalTimeMs: request.input.logicalTimeMs });
      found.equal(response.text, I.canonicalJson(each[form]), `${each.id} ${form}`);
      const taken = await clientOf(request.issuerId, manifest, () => each[form]).invoke(request.input);
      found.equal(taken, each[form], `${each.id} ${form}, taken`);
    }
  }
  for (const each of file.requestReject) {
    const router = await constant(I, { manifest: file.manifests[each.manifest], outcome: { status: "refused", reasonCode: "r" }, keys: file.keys });
    found.refuses(await attempt(() => router.handle(wireOf(each, "wireRequest"), { logicalTimeMs: 1e6 })), each, each.id);
  }
  for (const each of file.requestLenientAccept) {
    let admitted;
    const admit = (request) => {
      admitted = request;
      return false;
    };
    const router = await constant(I, { manifest: file.manifests[each.manifest], outcome: { status: "refused", reasonCode: "r" }, keys: file.keys, admit });
    await router.handle(each.wireRequest, { logicalTimeMs: 1e6 });
    found.equal(admitted, each.wireRequest, each.id);
  }
  for (const each of file.responseValidation) {
    const manifest = file.manifests[each.manifest];
    const client = clientOf(each.request.issuerId, manifest, () => wireOf(each, "wireResponse"), schemasOf(manifest, ANY, each.outputSchema));
    const { requestId, idempotencyKey, sessionId, operation, sequence, logicalTimeMs, deadlineLogicalMs, payload } = each.request;
    const call = { requestId, idempotencyKey, sessionId, operation, sequence, logicalTimeMs, deadlineLogicalMs, payload };
    const result = await attempt(() => client.invoke(call));
    if (each.expect === "accept") found.equal(result.error === undefined, true, `${each.id}: ${result.error}`);
    else found.refuses(result, each, each.id);
  }
  for (const { id, valid, ...claim } of file.signatureVerification) {
    found.equal(await keys.port("verifier:1").verify(claim), valid, id);
  }
  return found.report();
};

/** A list of answers: each is used once, the last for ever. */
const answers = (list) => {
  let used = 0;
  return () => list[Math.min(used++, list.length - 1)];
};

/** Stores in memory with what a transcript has put there before; a store's own keys are known once they are asked for. */
const seeded = (I, seeds = []) => {
  const store = new I.InMemoryInteropIdempotencyStore();
  const [seed] = seeds;
  return {
    load: async (key) =>
      store.load(key) ?? (seed ? { ...seed.record, response: seed.record.response === null ? null : I.canonicalJson(seed.record.response) } : null),
    reserve: async (reservation) => store.reserve(reservation),
    commit: async (commit) => store.commit(commit),
  };
};

/** One transcript of a router, played step by step. */
const playTranscript = async (I, transcript, found) => {
  const { manifest, schemas, admission, routerInstanceId, reservationLeaseMs } = transcript;
  const keys = await keysOf(I, transcript.keys);
  const admit = answers(admission.admit);
  const revalidate = admission.revalidate && answers(admission.revalidate);
  let handlerCalls = 0;
  let waiting;
  const behave = (behaviour, { request, admissionGrant }) => {
    const done = (reasonCode, payload) => ({ status: "completed", reasonCode: behaviour.reasonCode ?? reasonCode, payload });
    switch (behaviour.do) {
      case "return":
        return behaviour;
      case "echo":
        return done("echoed", { echo: request.payload });
      case "blob":
        return done("blob", { blob: "x".repeat(behaviour.length) });
      case "grant":
        return done("grant", { grant: admissionGrant });
      case "throw":
        throw new Error("scripted failure");
      case "waitAbortThenThrow":
        throw new Error("scripted abort failure");
      default:
        throw new Error(`no behaviour ${behaviour.do}`);
    }
  };
  const handler = (list) => {
    const next = answers(list);
    return async (run) => {
      handlerCalls++;
      const behaviour = next();
      if (behaviour.do !== "gate" && behaviour.do !== "waitAbortThenThrow") return behave(behaviour, run);
      await new Promise((release) => waiting(release));
      return behave(behaviour.then ?? behaviour, run);
    };
  };
  const router = new I.InteropEndpointRouter({
    routerInstanceId,
    manifest,
    reservationLeaseMs,
    handlers: Object.fromEntries(Object.entries(transcript.handlers).map(([operation, list]) => [operation, handler(list)])),
    admission: {
      async admit(request) {
        const answer = admit();
        if (typeof answer !== "object" || answer === null || !("grant" in answer)) return answer;
        if (answer.grant?.requestDigest !== "$request") return answer.grant;
        return { ...answer.grant, requestDigest: request.requestDigest };
      },
      ...(revalidate && { revalidate: async () => revalidate() }),
    },
    schemas: schemasOf(manifest, schemas.input, schemas.output),
    authenticity: keys.has(manifest.endpointId) ? keys.port(manifest.endpointId) : undefined,
    localOnly: true,
    stores: { idempotency: seeded(I, transcript.seedIdempotency) },
  });
  const slots = new Map();
  for (const [at, step] of transcript.steps.entries()) {
    const about = `${transcript.id} step ${at}`;
    const { expect } = step;
    const begin = () => {
      const caller = new AbortController();
      if (step.aborted) caller.abort();
      const result = attempt(() => router.handle(wireOf(step, "request"), { logicalTimeMs: step.logicalTimeMs, signal: caller.signal }));
      return { caller, result };
    };
    let result;
    if (step.type === "handle") {
      result = await begin().result;
    } else if (step.type === "start") {
      const isWaiting = new Promise((resolve) => {
        waiting = resolve;
      });
      const started = begin();
      started.release = await Promise.race([isWaiting, started.result.then(({ error }) => Promise.reject(error ?? new Error(`${about}: does not wait`)))]);
      slots.set(step.slot, started);
      found.equal(expect.outcome, "pending", about);
    } else {
      const started = slots.get(step.slot);
      if (step.type === "abort") started.caller.abort();
      started.release();
      result = await started.result;
    }
    if (expect.outcome === "error") found.refuses(result, expect, about);
    else if (expect.outcome === "response") {
      const wanted = expect.responseText ?? expect.response;
      found.equal(result.value?.text ?? String(result.error), I.canonicalJson(typeof wanted === "string" ? JSON.parse(wanted) : wanted), about);
    }
    found.equal(handlerCalls, expect.handlerCalls, `${about}, calls`);
  }
};

export const playRouter = async (I, file) => {
  const found = judge();
  for (const transcript of file.transcripts) await playTranscript(I, transcript, found);
  return found.report();
};

export const playAdapters = async (I, file) => {
  const found = judge();
  const { manifest, clientId } = file;
  const make = async (outcome) => {
    const sent = [];
    const router = await constant(I, { manifest, outcome });
    const exchange = async (text) => {
      sent.push(JSON.parse(text));
      return (await router.handle(text, { logicalTimeMs: JSON.parse(text).logicalTimeMs })).text;
    };
    const client = new I.InteropClient({ clientId, schemas: anything, transport: { manifest: () => manifest, exchange } });
    const sequences = new I.InMemoryInteropOutboundSequenceStore();
    return { sent, client, sequences, adapter: new I.InteropPortableAgentAdapter(client, sequences) };
  };
  const ok = await make({ status: "completed", reasonCode: "done", payload: { ok: true } });
  for (const each of file.portableAdapter) {
    const result = await ok.adapter[each.method](each.input);
    if (each.method === "restore") found.equal(result === undefined, true, each.method);
    else found.equal(result, each.result, each.method);
    found.equal(ok.sent.splice(0), each.emitted, each.method);
  }
  for (const each of file.environmentClient) {
    const environment = new I.InteropSimulationEnvironmentClient(ok.client, each.emitted[0].sessionId, ok.sequences);
    await environment[each.method](...each.args);
    found.equal(ok.sent.splice(0), each.emitted, each.method);
  }
  const refused = await make({ status: "refused", reasonCode: "policy:no" });
  for (const each of file.nonCompletedHandling) {
    const [kind, method] = each.call.split(".");
    const environment = new I.InteropSimulationEnvironmentClient(refused.client, "env:refused", refused.sequences);
    const result = await attempt(() =>
      kind === "adapter"
        ? refused.adapter[method](file.portableAdapter.find((known) => known.method === method).input)
        : environment[method](...file.environmentClient.find((known) => known.method === method).args),
    );
    if (each.outcome === "error") {
      found.refuses(result, each, each.call);
      found.equal(result.error?.code, "NOT_COMPLETED", each.call);
    } else found.equal([result.value.status, result.value.reasonCode], [each.status, each.reasonCode], each.call);
  }
  const gated = new I.InteropPortableAgentAdapter(ok.client, ok.sequences, (operation, sessionId, { manifestDigest }) => {
    throw new Error(`${operation} ${sessionId} ${manifestDigest}`);
  });
  const message = `agent.step ${file.portableAdapter[0].input.sessionId} ${manifest.manifestDigest}`;
  found.refuses(await attempt(() => gated.step(file.portableAdapter[0].input)), { errorName: "Error", message }, "gate");
  found.equal(ok.sent, [], "what a gate refuses is not sent");
  await playStores(I, file, found);
  return found.report();
};

const playStores = async (I, file, found) => {
  const outbound = new I.InMemoryInteropOutboundSequenceStore();
  for (const [at, { op, input, ...expected }] of file.outboundSequenceStore.entries()) {
    const result = await attempt(() => outbound[op](input));
    if (expected.outcome === "error") found.refuses(result, expected, `outbound ${at}`);
    else found.equal(result.value, expected.result, `outbound ${at}`);
  }
  const idempotency = new I.InMemoryInteropIdempotencyStore();
  for (const [at, { op, input, ...expected }] of file.idempotencyStore.entries()) {
    const { response } = input;
    const given = op === "commit" ? { ...input, response: JSON.stringify(response), responseDigest: response.responseDigest } : input;
    const result = await attempt(() => idempotency[op](given));
    if (expected.outcome === "error") {
      found.refuses(result, expected, `idempotency ${at}`);
      continue;
    }
    let { value } = result;
    if (op === "load" && value) {
      const { responseDigest, ...record } = value;
      value = { ...record, response: record.response && JSON.parse(record.response) };
    }
    found.equal(value, expected.result, `idempotency ${at}`);
  }
};

/** `base` is where a server answers `/<id>/manifest` as `http.json` says. */
export const playHttp = async (I, file, base) => {
  const found = judge();
  for (const { baseUrl, manifest, exchange } of file.urlResolution) {
    const asked = [];
    const fetch = async (url) => {
      asked.push(url);
      return new Response("{}");
    };
    const transport = new I.HttpInteropTransport({ baseUrl, fetch });
    await transport.manifest();
    await transport.exchange("{}");
    found.equal(asked, [manifest, exchange], baseUrl);
  }
  for (const { id, options, ...expected } of file.responses) {
    const transport = new I.HttpInteropTransport({ baseUrl: `${base}${id}/`, ...options });
    const result = await attempt(() => transport.manifest());
    if (expected.outcome === "error") found.refuses(result, expected, id);
    else found.equal(result.value && JSON.parse(result.value), expected.value, `${id} ${result.error ?? ""}`);
  }
  for (const { options, ...expected } of file.constructor) {
    found.refuses(await attempt(() => new I.HttpInteropTransport(options)), expected, JSON.stringify(options));
  }
  let sent;
  const fetch = async (url, request) => {
    sent = new Request(url, request);
    return new Response("null");
  };
  const { headers, body, method } = file.exchangeRequest;
  const transport = new I.HttpInteropTransport({ baseUrl: base, headers: { authorization: headers.authorization }, fetch });
  await transport.exchange(body);
  found.equal([sent.method, Object.fromEntries(sent.headers), await sent.text()], [method, headers, body], "exchange");
  return found.report();
};

/** Everything, by its file. */
export const playAll = async (I, files, base) => ({
  canonical: playCanonical(I, files.canonical),
  manifest: await playManifests(I, files.manifest),
  envelopes: await playEnvelopes(I, files.envelopes),
  router: await playRouter(I, files.router),
  adapters: await playAdapters(I, files.adapters),
  http: await playHttp(I, files.http, base),
});
