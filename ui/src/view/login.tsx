// Signing in with a token, which stays in memory.
import { useState } from "preact/hooks";
import { login, session } from "../session.ts";
import { useStore } from "../store.ts";

export function Login() {
  const { error } = useStore(session);
  const [token, setToken] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    const given = token;
    setToken("");
    void login(given);
  };
  return (
    <main class="login">
      <form onSubmit={submit} autocomplete="off">
        <h1>Ordain explorer</h1>
        <p>
          This server asks who you are. Paste a bearer token; it is kept in this page's memory and forgotten
          on reload. With a client certificate in the browser, reload the page instead.
        </p>
        <label for="token">Bearer token</label>
        <input
          id="token"
          type="password"
          autocomplete="off"
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
        {error !== "" && (
          <p class="error" role="alert">
            {error}
          </p>
        )}
        <button class="primary" type="submit" disabled={token.trim() === ""}>
          Sign in
        </button>
      </form>
    </main>
  );
}
