// A snapshot as a text that is the same in every run. Used by `/testing` and `/testing/matchers`; decides nothing.

/** Registration ids by the order in which they appear. */
const label = (known, id) => {
  if (!known.has(id)) known.set(id, `<reg#${known.size + 1}>`);
  return known.get(id);
};

export const serializeSurfaceSnapshot = (snapshot, { includeVersion = false } = {}) => {
  const { surfaceId, surfaceVersion, capturedAt, components, procedures, ...rest } = snapshot;
  const known = new Map();
  const named = (entry) => ({ ...entry, registrationId: label(known, entry.registrationId) });
  const version = includeVersion ? { surfaceVersion } : {};
  const stable = { ...version, ...rest, components: components.map(named), procedures: procedures.map(named) };
  return JSON.stringify(stable, null, 2);
};
