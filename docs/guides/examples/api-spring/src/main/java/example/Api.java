package example;

import java.util.Map;
import java.util.Objects;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.jose.jws.SignatureAlgorithm;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtClaimValidator;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@RestController
public class Api {
  public static void main(String[] arguments) {
    SpringApplication.run(Api.class, arguments);
  }

  /** Verifies access tokens (RFC 9068). Spring's own decoder knows the type "JWT" only, so it has to be told of "at+jwt". */
  @Bean
  JwtDecoder decoder(
      @Value("${LATCHKEY_ISSUER:http://localhost:4001}") String issuer,
      @Value("${AUDIENCE:https://api.example.com}") String audience,
      @Value("${LATCHKEY_PROJECT}") String project) {
    NimbusJwtDecoder decoder =
        NimbusJwtDecoder.withJwkSetUri(issuer + "/connect/jwks")
            .jwsAlgorithm(SignatureAlgorithm.ES256)
            .validateType(false)
            .build();
    decoder.setJwtValidator(
        JwtValidators.createAtJwtValidator()
            .issuer(issuer)
            .audience(audience)
            // Any client: the scopes say what it was granted.
            .validators(all -> all.put("client_id", new JwtClaimValidator<>("client_id", Objects::nonNull)))
            // Other projects may have an API with this identifier.
            .validators(all -> all.put("project_id", new JwtClaimValidator<>("project_id", project::equals)))
            // A token that is bound to a key needs a proof of it (RFC 9449 §7.2).
            .validators(all -> all.put("cnf", new JwtClaimValidator<>("cnf", Objects::isNull)))
            .build());
    return decoder;
  }

  @Bean
  SecurityFilterChain security(HttpSecurity http) throws Exception {
    return http.authorizeHttpRequests(requests -> requests.anyRequest().hasAuthority("SCOPE_orders:read"))
        .oauth2ResourceServer(server -> server.jwt(Customizer.withDefaults()))
        // The token of each request says who it is, so no cookie is needed.
        .sessionManagement(sessions -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
        .build();
  }

  @GetMapping("/")
  Map<String, String> you(@AuthenticationPrincipal Jwt token) {
    return Map.of("you", token.getSubject(), "project", token.getClaimAsString("project_id"));
  }
}
