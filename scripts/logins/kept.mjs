// What an identity provider keeps, in memory: one store for all providers of a process, so that one with
// other keys goes on with what the one before granted. It is an `adapter` of `oidc-provider`.
const kept = new Map();

export class Kept {
  constructor(model) {
    this.model = model;
  }

  key(id) {
    return `${this.model}:${id}`;
  }

  async upsert(id, payload) {
    kept.set(this.key(id), payload);
  }

  async find(id) {
    return kept.get(this.key(id));
  }

  async findByUid(uid) {
    return this.first((payload) => payload.uid === uid);
  }

  async findByUserCode(code) {
    return this.first((payload) => payload.userCode === code);
  }

  first(fits) {
    const all = [...kept].filter(([key]) => key.startsWith(`${this.model}:`));
    return all.find(([, payload]) => fits(payload))?.[1];
  }

  async consume(id) {
    kept.get(this.key(id)).consumed = Math.floor(Date.now() / 1000);
  }

  async destroy(id) {
    kept.delete(this.key(id));
  }

  async revokeByGrantId(id) {
    for (const [key, payload] of kept) if (payload.grantId === id) kept.delete(key);
  }
}

// Forgets everything of these kinds.
export function forget(...models) {
  for (const key of kept.keys()) if (models.includes(key.split(":")[0])) kept.delete(key);
}
