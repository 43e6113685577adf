-- What a checkout's index held once, so that a note which names it can be told from one that never was right.
-- A batch notes only which content a path had (`once_contents`); the names in it are taken from its outline
-- when the new ones are there, and then the two tables hold what is gone.
CREATE TABLE once_contents (
    checkout_id BIGINT NOT NULL,
    path VARCHAR NOT NULL,
    sha256 VARCHAR NOT NULL,
    language VARCHAR,
    noted_at TIMESTAMP NOT NULL
);

CREATE TABLE once_paths (
    checkout_id BIGINT NOT NULL,
    path VARCHAR NOT NULL,
    noted_at TIMESTAMP NOT NULL
);

CREATE TABLE once_symbols (
    checkout_id BIGINT NOT NULL,
    path VARCHAR NOT NULL,
    qualified_name VARCHAR NOT NULL,
    noted_at TIMESTAMP NOT NULL
);
