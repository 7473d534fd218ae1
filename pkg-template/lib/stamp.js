// What belongs to an object without being seen on it. Knows nothing of what that is.

/**
 * `new Stamp(object, host)` is the object itself, with the host in a private field. Copies and proxies of it have none. A
 * `WeakMap` would do, but the collector would look every entry up again and again.
 */
export class Stamp extends class {
  constructor(object) {
    return object;
  }
} {
  #host;

  constructor(object, host) {
    super(object);
    this.#host = host;
  }

  static of(object) {
    return Object(object) === object && #host in object ? object.#host : undefined;
  }
}
